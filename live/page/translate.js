// A sentence in, its translation and the attention of all heads out, as trained and as broken.

const KINDS = ['encoder', 'decoder', 'cross'];
const SWITCHES = ['scale', 'mask', 'positions', 'residual'];
const ALL_SWITCHES = [...SWITCHES, 'cross_heads', 'other_heads'];
const HEADS_NAMED = 6;  // if more heads are off, they are not listed by name
const PACE = 260;  // milliseconds from one written word to the next
const OFFERED = 14;
const SENTENCES = ['they watched the match in Beijing last Sunday',
  'I like the 2022 Beijing Winter Games', 'is there a white rabbit behind the table',
  'she bought a new book in Beijing yesterday'];

const writer = {
  words: [],
  following: [], following_of: null,  // next words, and what they follow
  heads_off: new Set(),  // "cross 1 2"
  off: new Set(),        // of SWITCHES
  model: -1,             // id of a training, -1: the built-in model
  comparing: false,      // the picture shows the model as trained
  linked: null,          // { step, query, key } of the link, until there is a result
  problem: null,         // of problem_of()
  instead: '',           // what a beam or sampling has reset, in words.json
  answer: null, whole: null, error: '', busy: false, stale: false, playing: 0, first: 0,
};

function is_broken() { return writer.off.size + writer.heads_off.size > 0; }

// ---- asking -------------------------------------------------------------------------------------

// The complete words: one that is still being typed is left out while it can become a known word.
function finished_text(text) {
  const last = text.match(/\S+$/);
  if (!last || writer.words.includes(last[0])) return text;
  return writer.words.some((one) => one.startsWith(last[0])) ? text.slice(0, last.index) : text;
}

// The text to request: the complete words, in the case in which the model knows them.
function asked_text() { return folded(finished_text(state.text)); }

// Asks the current model.
function ask_model(request) {
  return ask(writer.model < 0 ? request : { ...request, id: writer.model });
}

function asked(text, switches) {
  return ask_model({ do: 'translate', text, switches, ...writing_options() });
}

// Why there is nothing to request: the key of the message and its numbers.
function problem_of(text) {
  const words = text.split(/\s+/).filter(Boolean).length;
  if (!words) return ['no_words'];
  return words > loaded.most ? ['too_long', words, loaded.most] : null;
}

// Translates the current text; edits made meanwhile come next, intermediate ones are skipped.
async function translate(text = asked_text()) {
  if (!loaded || writer.busy) { writer.stale = true; return; }
  writer.problem = problem_of(text);
  if (!writer.problem) await take_translation(text);
  if (!writer.first) writer.first = performance.now();
  draw_writer();
  if (writer.stale) { writer.stale = false; translate(); }
  else count();
}

async function take_translation(text) {
  writer.busy = true;
  const start = performance.now(), answer = await asked(text, switches_now());
  const took = performance.now() - start;
  const whole = is_broken() && !answer.error ? await asked(text, {}) : answer;
  Object.assign(writer, { busy: false, took, error: answer.error || '' });
  if (!answer.error) take_answer(answer, whole);
}

function take_answer(answer, whole) {
  const before = writer.answer && writer.answer.target.join(' ');
  Object.assign(writer, { answer, whole, comparing: writer.comparing && is_broken() });
  Object.assign(journey, { at: -1, going: false, row: null });  // belongs to another sentence
  draw_journey();
  take_views();
  byId('spoken').textContent = answer.text;
  if (writer.linked) look_at_linked();
  else if (before !== answer.target.join(' ')) play();
}

function look_at_linked() {
  const limited = (value, tokens) => Math.min(value, tokens.length - 1), { linked } = writer;
  pause();
  Object.assign(state, { step: limited(linked.step, writer.answer.target),
    query: limited(linked.query, view_now().queries), key: limited(linked.key, view_now().keys) });
  writer.linked = null;
}

// The attention of the answer, or of the one it is compared with; a selected cell is kept.
function take_views(stays = { query: -1, key: -1 }) {
  const answer = writer.comparing ? writer.whole : writer.answer;
  PAGE.views = KINDS.map((kind) => view_of(kind, answer));
  keep_stage();
  Object.assign(state, { query: stays.query < view_now().queries.length ? stays.query : -1,
    key: stays.key < view_now().keys.length ? stays.key : -1,
    layer: Math.min(state.layer, view_now().layers - 1),
    head: Math.min(state.head, view_now().heads - 1) });
  shown = null;     // invalidates what picture.js and panels.js have cached
  places_key = '';
}

function compare(comparing) {
  if (!is_broken()) return;
  pause();
  Object.assign(writer, { comparing });
  Object.assign(state, { step: -1 });
  take_views({ query: state.query, key: state.key });
  draw_writer();
}

// One kind of attention in the format of the explorer's picture.
function view_of(kind, answer) {
  const queries = kind === 'encoder' ? answer.source : answer.read;
  const keys = kind === 'decoder' ? answer.read : answer.source;
  const causal = kind === 'decoder' && answer.causal;
  const width = answer.values[kind][0][0].shape[1];
  // Without scaling, the engine multiplies q by √d_k, which cancels its own division.
  const divided = writer.comparing || !writer.off.has('scale'), root = Math.sqrt(width);
  const numbers = (heads) => Float32Array.from(heads.flatMap((matrix) => matrix.values));
  // A row of the decoder is labelled with the word that it reads and the one that it writes.
  const row_names = kind === 'encoder' ? queries :
    queries.map((token, i) => `${token}→${answer.target[i]}`);
  const layers = answer.maps[kind].map((heads, i) => ({ decoded: {
    scores: numbers(answer.scores[kind][i]).map((score) => (divided ? score : score / root)),
    queries: numbers(answer.queries[kind][i]).map((q) => (divided ? q : q / root)),
    keys: numbers(answer.keys[kind][i]),
    lengths: Float32Array.from(answer.values[kind][i].flatMap((matrix) => lengths_of(matrix))),
    values: numbers(answer.values[kind][i]), weights: numbers(heads),
    precision: { weights: 5e-10 } } }));
  return { kind, name: '', queries, keys, memory: 0, is_of_the_end: !answer.causal,
    scale: divided ? 1 / root : 1,
    steps: answer.target.length,
    row_names, scored: range_of(layers.map((layer) => layer.decoded.scores), 'raw'),
    layers: layers.length, heads: answer.maps[kind][0].length, checkpoints: [layers],
    allowed: Uint8Array.from({ length: queries.length * keys.length },
      (_, i) => !causal || i % keys.length <= Math.floor(i / keys.length)) };
}

// The norm of each row, ‖v‖.
function lengths_of({ shape: [rows, columns], values }) {
  return Array.from({ length: rows },
    (_, i) => Math.hypot(...values.slice(i * columns, (i + 1) * columns)));
}

// ---- writing, word by word ----------------------------------------------------------------------

function play() {
  pause();
  if (is_calm()) { state.step = -1; return; }
  state.step = 0;
  writer.playing = setInterval(() => {
    go_to_step(state.step + 1 < writer.answer.target.length ? state.step + 1 : -1);
    if (state.step < 0) pause();
    draw_play();
  }, PACE);
}

function pause() {
  clearInterval(writer.playing);
  writer.playing = 0;
}

function go_to_step(step) {
  state.step = step;
  draw_attention();
  draw_result();
  draw_candidates();
  draw_look_lines();
  draw_flow_words();
  write_link();
}

function step_by(by) {
  if (!writer.answer) return;
  pause();
  const steps = writer.answer.target.length, now = state.step < 0 ? steps : state.step;
  const next = within(now + by, steps);
  go_to_step(next === steps ? -1 : next);
  draw_play();
}

function draw_play() {
  const [, input, output] = byId('step').children, steps = writer.answer.target.length;
  set_label(byId('play'), word(writer.playing ? 'pause' : 'replay'));
  set_label(byId('flow_play'), word(journey.going ? 'pause' : stop_now() ? 'go_on' : 'replay'));
  input.max = steps;
  input.value = state.step < 0 ? steps : state.step;
  output.textContent = state.step < 0 ? word('all_steps') : `${state.step + 1} / ${steps}`;
}

// ---- what is shown ------------------------------------------------------------------------------

function draw_writer() {
  const { answer, problem } = writer, error = problem ? word(...problem) : writer.error;
  byId('sentence_error').hidden = !error;
  byId('sentence_error').replaceChildren(literal_line(error));
  for (const name of ['result', 'steps_row']) byId(name).hidden = !answer || !!error;
  byId('translate').querySelector('.columns').hidden = !answer || !!error;
  draw_offered();
  draw_switches();
  draw_flow();
  if (!answer || error) return;
  draw_play();
  draw_attention();
  draw_result();
  draw_candidates();
  write_link();
}

// An error message may contain the user's words: invisible characters in them get a symbol.
function literal_line(line) {
  const whole = document.createElement('bdi');
  line.split(' ').forEach((part, i) => whole.append(i ? ' ' : '', literal(part)));
  return whole;
}

function draw_attention() {
  const view = view_now();
  if (!view || !byId('heads').getClientRects().length) return;
  draw_grid();
  for (const button of byId('heads').querySelectorAll('button'))
    button.classList.toggle('off', writer.heads_off.has(
      `${view.kind} ${button.dataset.layer} ${button.dataset.head}`));
  draw_stages(view);
  show_one_or_all();
  draw_picture();  // sized to the room left above and below
  if (view.kind === 'decoder' && view.is_of_the_end)  // visible on light and dark cells
    byId('cross').before(edge_of_mask(place, 'none', '#000000'),
      edge_of_mask(place, '5 3', '#ffffff'));
  draw_cross();
  draw_places();
  draw_cell();
  draw_chain();
  draw_together();
  draw_head_name();
  byId('row_note').textContent =
    word({ encoder: 'encoder_note', decoder: 'row_note', cross: 'cross_note' }[view.kind]);
  byId('compare').hidden = !is_broken();
  byId('compare').firstChild.checked = writer.comparing;
  replace_in(byId('views'), ...KINDS.map((kind, i) => button_for(word(kind),
    () => change({ view: i, query: -1, key: -1 }), { 'aria-pressed': i === state.view })));
}

function draw_head_name() {
  byId('head_name').textContent =
    word('named', word(view_now().kind), word('at', state.layer, state.head));
  byId('head_on').checked = !writer.heads_off.has(head_name());
  byId('alone').classList.toggle('off', !byId('head_on').checked && !writer.comparing);
}

// The stages that lead to the weights; those left out are struck through.
function draw_stages(view) {
  const button = (stage) => button_for(is_left_out(stage) ? tag('s', {}, word(stage)) : word(stage),
    () => change({ stage }), { 'aria-pressed': stage === state.stage,
      ...(is_left_out(stage) && { 'aria-label': word('named', word(stage), word('heads_off')) }) });
  replace_in(byId('stages'), ...stages_of(view).map(button),
    button_for(word('together'), () => change({ together: !state.together }),
      { id: 'together_on', 'aria-pressed': state.together }));
}

function head_name() { return `${view_now().kind} ${state.layer} ${state.head}`; }
