// The three trainings of the page: norm order and warm-up (chapter 3), the little translator
// (chapter 7), recall across segments (chapter 8).

function choice(setting, values) {
  return tag('select', { 'data-setting': setting },
    ...values.map((value) => tag('option', { value })));
}

// The options of a choice in the language of the page.
function name_choices(panel, setting, label, names) {
  const list = byId(panel).querySelector(`[data-setting=${setting}]`);
  list.setAttribute('aria-label', label);
  [...list.options].forEach((option, i) => { option.textContent = names[i]; });
}

// ---- norm ---------------------------------------------------------------------------------------

const WARMUPS = [0, 120], LAYERS = [4, 8, 16];
function begin_norm() {
  const sides = ['--query', '--key'].map((colour, i) => ({
    colour,
    name: () => `${setting_of(training.norm, `order_${i}`)}-norm · ` +
      warmup_name(Number(setting_of(training.norm, `warmup_${i}`))),
    options: () => ({ norm: setting_of(training.norm, `order_${i}`),
      warmup: Number(setting_of(training.norm, `warmup_${i}`)),
      layers: Number(setting_of(training.norm, 'layers')) }) }));
  const settings = sides.map(({ colour }, i) => tag('span', { class: 'row side' },
    tag('i', { style: `background: var(${colour})` }), choice(`order_${i}`, ['post', 'pre']),
    choice(`warmup_${i}`, WARMUPS)));
  settings.push(tag('label', { class: 'row' }, tag('span', { 'data-word': 'layers' }),
    choice('layers', LAYERS)));
  make_training('norm', { task: 'norm', runs: sides, settings, log: true, updates: 240,
    level: () => ({ value: Math.log(16), name: `${word('chance')} · ln 16` }),
    draw: () => sides.forEach((_, i) => {
      name_choices('norm', `order_${i}`, word('named', word('run', i + 1), word('order')),
        [word('post'), word('pre')]);
      name_choices('norm', `warmup_${i}`, word('named', word('run', i + 1), word('warmup')),
        WARMUPS.map(warmup_name));
      name_choices('norm', 'layers', word('layers'), LAYERS);
    }) });
  byId('norm').querySelector('[data-setting=layers]').value = LAYERS[1];
  byId('norm').querySelector('[data-setting=warmup_1]').value = WARMUPS[1];
  for (const list of byId('norm').querySelectorAll('select'))
    list.addEventListener('change', () => draw_training(training.norm));
}

function warmup_name(updates) {
  return updates ? word('warmup_of', updates) : word('no_warmup');
}

// ---- recall -------------------------------------------------------------------------------------

function begin_recall() {
  const other = () => setting_of(training.recall, 'other');
  const names = () => [`Transformer-XL · ${word('without_memory')}`, word('vanilla')];
  const runs = [
    { colour: '--key', name: () => `Transformer-XL · ${word('with_memory')}`,
      options: () => ({ memory: true, model: 'transformer_xl' }) },
    { colour: '--query', name: () => names()[other() === 'vanilla' ? 1 : 0],
      options: () => (other() === 'vanilla' ? { model: 'vanilla' } :
        { memory: false, model: 'transformer_xl' }) }];
  const settings = tag('label', { class: 'row' }, tag('span', { 'data-word': 'beside' }),
    choice('other', ['without', 'vanilla']));
  make_training('recall', { task: 'recall', runs, settings: [settings], log: true, updates: 600,
    look: draw_look, draw: () => name_choices('recall', 'other', word('beside'), names()),
    checked: 1, taken: true,
    share_level: () => ({ value: 100 / 8, name: word('chance') }),
    level: () => ({ value: Math.log(8), name: `${word('chance')} · ln 8` }),
    columns: [['first', 'segment_1'], ['second', 'segment_2'], ['expected', 'expected'],
      ['written', 'written']],
    last: async (one) => {
      one.taken = await score_of(one, one.runs[0].id, 1, { memory: false });
    } });
  byId('recall').querySelector('[data-setting=other]').addEventListener('change',
    () => draw_training(training.recall));
}

// All heads of one episode, the memory left of the dashed line.
function draw_look(one, look) {
  part_of(one, 'look_name').textContent = word('look');
  part_of(one, 'look_note').textContent = word('look_note');
  part_of(one, 'look').replaceChildren(...look.maps.flatMap((heads, layer) =>
    heads.map((map, head) => tag('figure', {}, map_of(matrix_from(map), look),
      tag('figcaption', { class: 'soft' }, word('at', layer, head))))));
}

// The row of "?" and the cell of the capital are framed.
function map_of({ rows, columns, values }, look) {
  const cell = 15, left = 18, top = 18, wide = columns * cell, high = rows * cell;
  const svg = shape('svg', { viewBox: `0 0 ${left + wide + 4} ${top + high + 4}`, role: 'img' });
  const canvas = document.createElement('canvas');
  canvas.width = columns;
  canvas.height = rows;
  canvas.getContext('2d').putImageData(pixels_of(values, rows, columns, [0, 1]), 0, 0);
  svg.append(shape('image', { x: left, y: top, width: wide, height: high,
    href: canvas.toDataURL(), preserveAspectRatio: 'none', style: 'image-rendering: pixelated' }));
  const label = (x, y, text, strong) => svg.append(shape('text', { x, y, 'font-size': 11,
    'text-anchor': 'middle', fill: css(strong ? '--query' : '--soft'),
    'font-weight': strong ? 700 : 400 }, text));
  look.rows.forEach((token, i) =>
    label(left - 9, top + (i + 0.5) * cell + 4, token, i === look.asked));
  look.columns.forEach((token, i) =>
    label(left + (i + 0.5) * cell, top - 6, token, i === look.secret));
  const edge = left + look.boundary * cell;
  svg.append(shape('line', { x1: edge, x2: edge, y1: top - 14, y2: top + high + 4,
    stroke: '#d00000', 'stroke-width': 2, 'stroke-dasharray': '5 4' }));
  const frame = (x, y, width) => svg.append(shape('rect', { x, y, width, height: cell,
    fill: 'none', stroke: css('--query'), 'stroke-width': 2 }));
  frame(left, top + look.asked * cell, wide);
  if (look.secret !== null) frame(left + look.secret * cell, top + look.asked * cell, cell);
  return svg;
}

// ---- the little translator ----------------------------------------------------------------------

function begin_train() {
  const run = { colour: '--mark', name: () => word('own_model'),
    options: () => ({ norm: setting_of(training.train, 'order') }) };
  const use = button_for('', () => {
    use_model(training.train.runs[0].id);
    show_panel('translate');
    byId('sentence').focus();
  }, { id: 'use' });
  make_training('train', { task: 'translator', runs: [run],
    settings: [choice('order', ['post', 'pre'])],
    log: false, updates: 700, checked: 100, part: 50,
    share_level: () => ({ value: 95, name: '95%', left: true }),
    columns: [['source', 'source'], ['expected', 'expected'], ['written', 'written']],
    draw: (one) => {
      name_choices('train', 'order', word('order'), [word('post'), word('pre')]);
      use.textContent = word('use');
      use.disabled = one.runs[0].id < 0;
    } });
  part_of(training.train, 'reset').after(use);
}
