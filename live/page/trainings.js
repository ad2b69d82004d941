// The three trainings of the page: norm order and warm-up (chapter 3), the little translator
// (chapter 7), recall across segments (chapter 8).

function thousands(number) { return number.toLocaleString('en'); }

// A drop-down list. label() and name(value) are in the language of the page, which may change.
function choice(setting, values, label, name = String) {
  const list = tag('select', { 'data-setting': setting },
    ...values.map((value) => tag('option', { value })));
  list.name_options = () => {
    list.setAttribute('aria-label', label());
    values.forEach((value, i) => set_label(list.options[i], name(value)));
  };
  return list;
}

// A control after its name.
function labelled(name, ...controls) {
  return tag('label', { class: 'row' }, tag('span', { 'data-word': name }), ...controls);
}

// ---- norm ---------------------------------------------------------------------------------------

const WARMUPS = [0, 120], LAYERS = [4, 8, 16];
function begin_norm() {
  const sides = ['--query', '--key'].map((colour, i) => ({
    colour,
    name: (made) => `${made[`order_${i}`]}-norm · ${warmup_name(Number(made[`warmup_${i}`]))}`,
    options: () => ({ norm: setting_of(training.norm, `order_${i}`),
      warmup: Number(setting_of(training.norm, `warmup_${i}`)),
      layers: Number(setting_of(training.norm, 'layers')) }) }));
  const of_run = (i, name) => () => word('named', word('run', i + 1), word(name));
  const settings = sides.map(({ colour }, i) => tag('span', { class: 'row side' }, swatch(colour),
    choice(`order_${i}`, ['post', 'pre'], of_run(i, 'order'), word),
    choice(`warmup_${i}`, WARMUPS, of_run(i, 'warmup'), warmup_name)));
  settings.push(labelled('layers', choice('layers', LAYERS, () => word('layers'))));
  const one = make_training('norm', { task: 'norm', runs: sides, settings, log: true, updates: 240,
    about: ({ parameters, about: { layers, d_model, heads, batch, length, vocabulary, rate } }) =>
      word('norm_plan', layers, d_model, heads, thousands(parameters), batch, length, vocabulary,
        rate),
    named: ({ layers }) => [word('many_layers', layers)],
    level: () => ({ value: Math.log(16), name: `${word('chance')} · ln 16` }) });
  control_of(one, 'layers').value = LAYERS[1];
  control_of(one, 'warmup_1').value = WARMUPS[1];
}

function warmup_name(updates) {
  return updates ? word('warmup_of', updates) : word('no_warmup');
}

// ---- recall -------------------------------------------------------------------------------------

function begin_recall() {
  const other = () => setting_of(training.recall, 'other');
  const name_of = (value) =>
    (value === 'vanilla' ? word('vanilla') : `Transformer-XL · ${word('without_memory')}`);
  const runs = [
    { colour: '--key', name: () => `Transformer-XL · ${word('with_memory')}`,
      options: () => ({ memory: true, model: 'transformer_xl' }) },
    { colour: '--query', name: (made) => name_of(made.other),
      options: () => (other() === 'vanilla' ? { model: 'vanilla' } :
        { memory: false, model: 'transformer_xl' }) }];
  const settings = [labelled('beside',
    choice('other', ['without', 'vanilla'], () => word('beside'), name_of))];
  make_training('recall', { task: 'recall', runs, settings, log: true, updates: 600,
    about: ({ parameters, about: { layers, d_model, heads, batch, segment, rate, warmup } }) =>
      word('recall_plan', layers, d_model, heads, thousands(parameters), batch, segment, rate,
        warmup),
    look: async ([id]) => (await ask({ do: 'score', id, count: 1 })).look,
    draw_look, checked: 1, taken: true, examples_of: 0,
    share_level: () => ({ value: 100 / 8, name: word('chance') }),
    level: () => ({ value: Math.log(8), name: `${word('chance')} · ln 8` }),
    columns: [['first', 'segment_1'], ['second', 'segment_2'], ['expected', 'expected'],
      ['written', 'written']],
    last: async (one) => {
      one.taken = await score_of(one, one.runs[0].id, 1, { memory: false });
    } });
}

// All heads of one episode; the memory is left of the dashed line.
function draw_look(one, look) {
  part_of(one, 'look_name').textContent = word('look');
  part_of(one, 'look_note').textContent = word('look_note');
  draw_maps(one, look);
}

// In a lecture, one table that fills its place; otherwise each map with labels of its own.
function draw_maps(one, look) {
  const place = part_of(one, 'look'), across = look.maps[0].length, large = lecture_names();
  const of_last = fills_card() && look.maps.length > 1 && across > 2;  // else labels have no room
  const layers = of_last ? look.maps.slice(-1) : look.maps, first = look.maps.length - layers.length;
  const wide = of_last ? 2 : across;
  const fitted = fills_card() ? fit_maps(look, layers.flat().length, wide,
    { width: place.clientWidth, height: place.clientHeight },
    { above: 1.6 * large, right: 0 }, large) : () => null;
  place.classList.toggle('as_table', fills_card());
  place.style.setProperty('--columns', wide);
  place.replaceChildren(...layers.flatMap((heads, layer) => heads.map((map, head) => {
    const svg = map_of(matrix_from(map), look, [0, 1], fitted(layer * across + head));
    const name = word('at', first + layer, head);
    svg.setAttribute('aria-label', name);
    listen_in_maps(place, svg);
    return tag('figure', { style: edges_of(svg) }, svg, tag('figcaption', { class: 'soft' },
      tag('span', {}, name), tag('b', { class: 'number' })));
  })));
}

// Frames a cell in all maps, by pointer or arrow keys, with its value in each.
function listen_in_maps(place, svg) {
  listen_to_map(svg, (row, column) => {
    for (const figure of place.children) {
      const map = figure.querySelector('svg');
      point_in_map(map, row, column);
      figure.querySelector('b').textContent =
        ` ${map.values[row * svg.cells.columns + column].toFixed(2)}`;
    }
  }, { row: -1, column: -1 });
}

// ---- the little translator ----------------------------------------------------------------------

// Their keys in the browser's local storage.
const KEPT = 'transformer-by-hand: translator', KEPT_WEIGHTS = `${KEPT}, weights`;
const GLANCED = SENTENCES[0];                    // its attention is drawn during training

const TRAINED = { order: ['post', 'pre'], mask: ['mask', 'no_mask'], heads: [4, 1] };
function head_count(count) { return word(count === 1 ? 'one_head' : 'many_heads', count); }

// The settings of the panel Train that differ from the defaults, as stored in the URL.
function trained_settings() {
  if (state.panel !== 'train' || !training.train) return {};
  const made = Object.entries(TRAINED).map(([name, [first]]) => [name, setting_of(training.train,
    name), first]).concat([['seed', String(seed_of(training.train)), '1']]);
  return Object.fromEntries(made.filter(([, value, first]) => value !== String(first))
    .map(([name, value]) => [`train_${name}`, value]));
}

// A link never changes a training that has begun, nor the settings if it leads to another panel.
function read_trained() {
  const said = new URLSearchParams(location.hash.slice(1)), one = training.train;
  if (one.going || one.runs[0].id >= 0 || state.panel !== 'train') return;
  for (const [name, values] of Object.entries(TRAINED))
    control_of(one, name).value =
      values.find((value) => String(value) === said.get(`train_${name}`)) ?? values[0];
  const seed = Math.floor(Number(said.get('train_seed') ?? 1));
  control_of(one, 'seed').value = seed >= 0 ? Math.min(9999, seed) : 1;
}

// Opens the panel Train with this choice selected, unless something was trained there already.
function train_without(name, value) {
  show_panel('train');
  const list = control_of(training.train, name);
  if (!list.disabled) list.value = value;
  draw_training(training.train);
  write_link();
  (list.disabled ? part_of(training.train, 'reset') : list).focus();
}

// The translator's input and output at this update, and its cross-attention.
async function look_at_translator([id]) {
  const { read, source, maps, text } = await ask({ do: 'translate', id, text: GLANCED });
  return { rows: read, columns: source, maps: maps.cross, text };
}

function draw_translator_look(one, look) {
  part_of(one, 'look_name').textContent = word('look_train', GLANCED);
  part_of(one, 'look_note').textContent = word('look_train_note', look.text || word('not_yet'));
  draw_maps(one, look);
}

// The trained translator survives a reload: its history and its weights are kept. The weights are
// megabytes and are written in a task of their own. Browsers without storage for this page, or
// without enough room, keep nothing.
async function keep_translator(one) {
  const [run] = one.runs;
  try {
    if (run.id < 0) {
      for (const name of [KEPT, KEPT_WEIGHTS]) localStorage.removeItem(name);
      return;
    }
    const { weights_base64 } = await ask({ do: 'weights', id: run.id });
    if (run !== one.runs[0]) return;  // reset meanwhile
    const made = Object.fromEntries(Object.keys(TRAINED).map((name) => [name, setting_of(one, name)]));
    localStorage.setItem(KEPT, JSON.stringify({ ...made, seed: seed_of(one), seen: one.seen, run }));
    await new Promise((done) => { setTimeout(done); });
    if (run === one.runs[0]) localStorage.setItem(KEPT_WEIGHTS, weights_base64);
  } catch { /* then it is gone after a reload, as everything else in the page */ }
}

async function restore_translator() {
  const one = training.train;
  let kept = null, weights_base64 = null;
  try {
    kept = JSON.parse(localStorage.getItem(KEPT));
    weights_base64 = localStorage.getItem(KEPT_WEIGHTS);
  } catch { return; }
  if (!kept || !weights_base64 || one.going || one.runs[0].id >= 0) return;
  if (Object.keys(trained_settings()).length) return;  // the link sets what is trained
  const { seed, seen, run } = kept;
  for (const [name, [first]] of Object.entries(TRAINED))
    control_of(one, name).value = kept[name] ?? first;
  control_of(one, 'seed').value = seed;
  const answer = await ask({ do: 'start', task: 'translator', seed,
    options: { ...one.spec.runs[0].options(), weights_base64 } });
  if (answer.error) { localStorage.removeItem(KEPT); return; }  // from another version of the page
  if (one.going || one.runs[0].id >= 0) {  // another one was started meanwhile
    await ask({ do: 'stop', id: answer.id });
    return;
  }
  Object.assign(one, { seen, runs: [{ ...run, id: answer.id, about: answer.about, finished: true,
    kept: true }] });
  draw_models();
  if (state.panel === 'train') draw_training(one);
}

function begin_train() {
  const run = { colour: '--mark', name: () => word('own_model'),
    options: () => ({ norm: setting_of(training.train, 'order'),
      mask: setting_of(training.train, 'mask') === 'mask',
      heads: Number(setting_of(training.train, 'heads')) }) };
  const use = button_for('', () => {
    use_model(training.train.runs[0].id);
    show_panel('translate');
    byId('sentence').focus();
  }, { id: 'use', 'data-word': 'use' });
  const names = { heads: head_count }, labels = { heads: () => word('many_heads', '') };
  make_training('train', { task: 'translator', runs: [run],
    settings: Object.entries(TRAINED).map(([name, values]) =>
      choice(name, values, labels[name] || (() => word(name)), names[name] || word)),
    log: false, updates: 700, checked: 100, part: 50,
    about: ({ parameters, about: { layers, d_model, heads, batch, pairs, held_out, rate, warmup } }) =>
      word('train_plan', layers, d_model, head_count(heads), thousands(parameters),
        thousands(batch), thousands(pairs), thousands(held_out), rate, warmup) +
      (setting_of(training.train, 'mask') === 'mask' ? '' : word('no_mask_plan')),
    look: look_at_translator, draw_look: draw_translator_look, keep: keep_translator,
    level: () => {
      const { plan, runs: [run] } = training.train, about = run.about || (plan && plan.about);
      return about && { value: about.least, name: word('least_loss'), left: true, below: true };
    },
    named: ({ order, mask, heads }) => [word(order), word(mask), head_count(Number(heads))],
    share_level: () => ({ value: 95, name: '95%', left: true }),
    columns: [['source', 'source'], ['expected', 'expected'], ['written', 'written']],
    draw: (one) => { use.disabled = one.runs[0].id < 0; } });
  part_of(training.train, 'reset').after(use);
}
