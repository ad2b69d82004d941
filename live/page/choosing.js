// How the next word is chosen: the likeliest one, by beam search, or sampled with temperature,
// top-k and top-p.

const CHOOSING = ['beam', 'temperature', 'top_k', 'top_p'];
// A sentence with a step at which two words are close: "cheaper", as it is written, or "bigger".
const UNDECIDED = { text: 'that cake is cheaper than this egg', step: 7,
  read: '那 个 蛋糕 比 这 个 鸡蛋' };

function read_choosing(said) {
  for (const name of CHOOSING) {
    const { min, max } = byId(name).children[1], value = Number(said.get(name));
    state[name] = said.has(name) && value >= Number(min) && value <= Number(max) ? value :
      FIRST[name];
  }
  const seed = Math.floor(Number(said.get('seed')));
  state.seed = said.has('seed') && seed >= 0 ? seed : -1;
}

// In the part of a lecture about choosing, the table of candidates replaces the map.
function is_shown_choosing() { return (state.lecture || state.tour) && state.scene === 'choosing'; }
function show_choosing() { byId('translate').classList.toggle('choosing', is_shown_choosing()); }

// Is the current step the one with two close candidates, after the expected prefix?
function is_undecided() {
  const { answer } = writer;
  return !!answer && state.text === UNDECIDED.text && state.step === UNDECIDED.step &&
    answer.read.slice(1, UNDECIDED.step + 1).join(' ') === UNDECIDED.read;
}

// Are any sampling options in use?
function is_choosing() {
  return state.seed >= 0 ||
    ['temperature', 'top_k', 'top_p'].some((name) => state[name] !== FIRST[name]);
}

// The options of a request (live/writing.hpp).
function writing_options() {
  if (!is_choosing()) return { beam: state.beam };
  const { temperature, top_k, top_p, seed } = state;
  return { choice: { temperature, top_k, top_p }, ...(seed >= 0 && { seed }) };
}

// Beam search and sampling exclude each other. Changing one resets the other, with a note if it was
// in use. The selected step is kept.
function choose_by(some) {
  const before = is_choosing() ? 'beam_instead' : state.beam > 1 ? 'drawn_instead' : '';
  Object.assign(state, 'beam' in some ? { ...LIKELIEST, ...some } : { beam: 1, ...some });
  const now = state.beam > 1 ? 'beam_instead' : is_choosing() ? 'drawn_instead' : '';
  writer.instead = before === now ? now : '';
  if (state.step >= 0 && !writer.playing)
    writer.linked = { step: state.step, query: state.query, key: state.key };
  translate();
  write_link();
}

function draw_choosing() {
  for (const name of CHOOSING) {
    const [, input, output] = byId(name).children;
    input.value = state[name];
    output.textContent = name === 'top_k' && !state.top_k ? word('all_words') : state[name];
  }
  byId('search').hidden = !is_choosing() && state.beam === 1;
  const note = state.seed >= 0 ? word('drawn_note', state.seed) :
    is_choosing() ? word('choosing_note') : state.beam > 1 ? word('beam_note', state.beam) : '';
  byId('choosing_note').textContent = (writer.instead && note ? word(writer.instead) + gap() : '') + note;
}

// The candidates of beam search at a step, as in the explorer.
function draw_searched(step) {
  const { answer } = writer;
  byId('candidates_name').textContent = word('beam_at', step, plain(answer.read[step]));
  byId('candidates').replaceChildren(
    ...search_table({ steps: answer.search, result: answer.target }, step));
}

// The words of a step: their probabilities, at the temperature, and after top-k and top-p.
function draw_choices(step) {
  const { answer } = writer, { candidates } = answer.steps[step];
  const cell = (p, cut) => tag('td', {}, bar_of(p),
    tag(cut ? 's' : 'span', { class: 'number' }, p.toFixed(3)));
  byId('candidates_name').textContent = word('candidates', plain(answer.read[step]));
  byId('candidates').replaceChildren(tag('table', {},
    tag('tr', {}, ...[word('candidate'), 'p', word('at_temperature', state.temperature),
      word('left_to_draw')].map((name) => tag('th', {}, name))),
    ...candidates.map(({ token, probability, tempered, kept }) => tag('tr', kept ? {} :
      { class: 'cut' }, candidate_cell(token, step),
    cell(probability), cell(tempered, !kept), kept ? cell(kept) : tag('td', {}, word('cut_off')))),
  others_row(candidates, cell)));
}

// The rest of each column: the sum over the words that are not listed.
function others_row(candidates, cell) {
  const rest = (name) => Math.max(0, 1 - candidates.reduce((sum, one) => sum + one[name], 0));
  const kept = rest('kept');
  return tag('tr', { class: 'others' }, tag('td', { class: 'soft' }, word('all_others')),
    cell(rest('probability')), cell(rest('tempered')),
    kept < 0.0005 ? tag('td', {}, word('cut_off')) : cell(kept));
}

function begin_choosing() {
  for (const name of CHOOSING)
    byId(name).children[1].addEventListener('input', (event) =>
      choose_by({ [name]: Number(event.target.value) }));
  byId('draw').addEventListener('click', () => choose_by({ seed: state.seed + 1 }));
  byId('search').addEventListener('click', () => {
    choose_by({ beam: 1 });
    byId('draw').focus();  // this button disappears
  });
}
