// Steps through the recorded computation of a program, forward and backward.

const PAGE = JSON.parse(byId('data').textContent), STEPS = PAGE.steps;
const state = { step: 0, theme: 'auto', lang: system_language() };

function word(name, ...values) {
  return values.reduce((text, value, i) => text.split(`{${i}}`).join(value),
    own(WORDS[state.lang], name) ?? name);
}

// Indices into STEPS: a step's gradient, the forward step of a gradient, and a parameter.
const gradient_of = new Map(), forward_of = new Map(), parameter_of = new Map();
STEPS.forEach((step, i) => {
  if (step.op === 'parameter' && !step.backward) parameter_of.set(path_of(step), i);
  if (!step.backward) forward_of.set(step.number, i);
  else if (!gradient_of.has(step.of)) gradient_of.set(step.of, i);
});
function pair_of(step) {
  return step.backward ? forward_of.get(step.of) : gradient_of.get(step.number);
}

function path_of(step) { return step.scope ? `${step.scope}.${step.name}` : step.name; }

// The op with the name of its result in the code, or else of the layer whose weight it reads:
// "softmax weights", "linear w_q".
function name_of(step) {
  if (step.op === 'parameter') return step.name;
  if (step.name) return `${step.op} ${step.name}`;
  const weight = step.inputs.find((input) => !input.step && input.name);
  if (!weight) return step.op;
  const parts = weight.name.split('.');
  const plain = ['weight', 'bias', 'gamma', 'beta'].includes(parts[parts.length - 1]);
  const layer = parts[parts.length - (plain && parts.length > 1 ? 2 : 1)];
  return layer === step.op ? layer : `${step.op} ${layer}`;
}

function title_of(step) { return step.backward ? `∂ ${name_of(step)}` : name_of(step); }

let buttons = [];

function build() {
  const rows = [];
  let scope = '', section = '';
  buttons = STEPS.map((step, i) => {
    const button = tag('button', { type: 'button' },
      tag('span', { class: 'index' }, String(step.number)), title_of(step));
    button.addEventListener('click', () => go(i));
    if (step.section && step.section !== section) {
      rows.push(tag('li', { class: 'section' }, tag('h3', {}, step.section)));
      scope = '';
    }
    section = step.section;
    if (step.scope !== scope) rows.push(tag('li', { class: 'scope' }, step.scope || '–'));
    scope = step.scope;
    rows.push(tag('li', step.backward ? { class: 'backward' } : {}, button));
    return button;
  });
  byId('steps').replaceChildren(...rows);
  byId('slider').max = STEPS.length - 1;
}

function go(step) {
  state.step = Math.max(0, Math.min(STEPS.length - 1, step));
  draw();
}

// The index of a block along the leading axes, all but the last two: "[0, 1]".
function place_of(step, block) {
  const place = [];
  for (const size of sizes_of(step).slice(0, -2).reverse()) {
    place.unshift(block % size);
    block = Math.floor(block / size);
  }
  return `[${place.join(', ')}]`;
}

const MOST_SHARE = 50;  // percent of colour in a cell, so that its number stays readable

// Shows numbers as cells, blue above zero and red below: one table per block. Where rows or columns
// belong to words, the words label them.
function fill(element, step) {
  const most = largest_of(step.numbers);
  element.replaceChildren(...Array.from({ length: step.blocks },
    (_, block) => table_of(step, block, most)));
}

function largest_of(numbers) {
  return Math.max(...numbers.filter(Number.isFinite).map(Math.abs), 1e-30);
}
function cell_of(value, most) {
  const share = Number.isFinite(value) ? Math.round(MOST_SHARE * Math.abs(value) / most) : 0;
  const colour = value < 0 ? '--below' : '--above';
  return tag('td', { style: `background: color-mix(in srgb, var(${colour}) ${share}%,` +
    ' transparent)' }, Number.isFinite(value) ? short(value) : value);
}

function table_of(step, block, most) {
  const table = [], first = block * step.rows * step.columns, { rows, columns } = words_of(step);
  const heading = (scope, token) => tag('th', { scope }, literal(token));
  for (let row = 0; row < step.rows; ++row) {
    const cells = rows ? [heading('row', rows[row])] : [];
    for (let column = 0; column < step.columns; ++column) {
      cells.push(cell_of(step.numbers[first + row * step.columns + column], most));
    }
    table.push(tag('tr', {}, ...cells));
  }
  const caption = step.blocks > 1 ? [tag('caption', {}, place_of(step, block))] : [];
  const above = columns ? [tag('thead', {}, tag('tr', {}, ...(rows ? [tag('td')] : []),
    ...columns.slice(0, step.columns).map((token) => heading('col', token))))] : [];
  return tag('table', { class: 'cells' }, ...caption, ...above, tag('tbody', {}, ...table));
}

// The shape, and how much of it is shown.
function corner(step) {
  const all = sizes_of(step).reduce((product, size) => product * size, 1);
  return step.numbers.length === all ? step.shape
    : `${step.shape}, ${word('corner', step.rows, step.columns)}`;
}

// The inputs, each linked to the step that produced it.
function inputs_of(step) {
  return step.inputs.map((input) => {
    const place = input.step ? forward_of.get(input.step) : parameter_of.get(input.name);
    const made = place !== undefined && input.step ? name_of(STEPS[place]) : input.name;
    const button = tag('button', { type: 'button' }, `${made} ${input.shape}`.trim());
    button.disabled = place === undefined;
    button.addEventListener('click', () => go(place));
    return button;
  });
}

// Allows line breaks in a path or a layer name after a slash or a dot, but not within a word.
function breakable(name = '') {
  return name.split(/(?<=[/.])/).flatMap((part) => (part ? [part, tag('wbr')] : []));
}
function place_of_code(step) { return step.file ? breakable(`${step.file}:${step.line}`) : []; }

function draw_facts(step) {
  const row = (name, ...said) => (said.some((one) => one) ?
    [tag('tr', {}, tag('th', {}, word(name)), tag('td', {}, ...said))] : []);
  replace_in(byId('facts'), ...row('inputs', ...inputs_of(step)), ...row('shape', step.shape),
    ...row('spread', step.spread), ...row('scope', ...breakable(step.scope)),
    ...row('place', ...place_of_code(step)));
}

function draw_code(step) {
  byId('file').replaceChildren(...place_of_code(step));
  if (!step.file) byId('file').textContent = word('none');
  const lines = own(PAGE.sources, step.file);
  if (!lines) {
    byId('code').textContent = word(step.op === 'parameter' ? 'learned' : 'unknown');
    return;
  }
  const first = Math.max(0, step.line - 14);
  byId('code').replaceChildren(...lines.slice(first, step.line + 12).map((line, i) => tag('span',
    first + i + 1 === step.line ? { class: 'here' } : {}, tag('i', {}, String(first + i + 1)),
    tag('span', {}, ...coloured(line)))));
}

// How many later steps the page leaves out, and which ops most of them are.
function draw_dropped() {
  const ops = Object.entries(PAGE.dropped).sort((a, b) => b[1] - a[1]);
  const said = (number) => number.toLocaleString('en-US');
  byId('dropped').hidden = !ops.length;
  const [summary, tally] = byId('dropped').children;
  summary.textContent =
    word('dropped', STEPS.length, said(ops.reduce((sum, [, count]) => sum + count, 0)));
  tally.textContent =
    `${word('alone')} ${ops.map(([op, count]) => `${op} ${said(count)}`).join(', ')}`;
}

function draw() {
  const focused = document.activeElement !== document.body;
  const step = STEPS[state.step], other = STEPS[pair_of(step)];
  const value = step.backward ? other : step, gradient = step.backward ? step : other;
  show_language_and_theme();
  byId('title').textContent = PAGE.title;
  for (const name of ['first', 'back', 'forward', 'last'])
    byId(name).setAttribute('aria-label', word(name));
  byId('slider').setAttribute('aria-label', word('step'));
  byId('slider').value = state.step;
  byId('place').textContent = `${state.step + 1} / ${STEPS.length}`;
  draw_dropped();
  byId('other').textContent = word(step.backward ? 'to_forward' : 'to_gradient');
  byId('other').disabled = !other;
  byId('name').textContent = step.backward ? word('gradient_of', name_of(step)) : title_of(step);
  byId('formula').textContent = `${step.name ? step.name + ' = ' : ''}${step.op}` +
    (step.formula ? `:  ${step.formula}` : '');
  byId('backward_formula').textContent = step.backward_formula ?
    `${word('passes_on')}  ${step.backward_formula}` : '';
  draw_facts(step);
  draw_product(step);
  byId('value_name').textContent = value ? `${word('value')} ${corner(value)}` : word('value');
  if (value) fill(byId('value'), value);
  else byId('value').replaceChildren();
  byId('gradient_card').hidden = !gradient;
  if (gradient) {
    byId('gradient_name').textContent = `${word('gradient')} ${corner(gradient)}`;
    fill(byId('gradient'), gradient);
  }
  draw_code(step);
  for (const [i, button] of buttons.entries()) {
    if (i === state.step) button.setAttribute('aria-current', 'step');
    else button.removeAttribute('aria-current');
    button.tabIndex = i === state.step ? 0 : -1;
  }
  const list = byId('steps'), at = document.activeElement;
  list.scrollTop = buttons[state.step].offsetTop - list.offsetTop - list.clientHeight / 3;
  // The focus follows the step in the list; if the focused element is gone, it goes to the list.
  if (list.contains(at) || focused && (at === document.body || at.disabled))
    buttons[state.step].focus({ preventScroll: true });
  history.replaceState(null, '', `#step=${step.number}&lang=${state.lang}`);
}

function read_link() {
  const said = new URLSearchParams(location.hash.slice(1));
  const step = STEPS.findIndex((one) => one.number === Number(said.get('step')));
  state.step = Math.max(0, step);
  if (own(WORDS, said.get('lang'))) state.lang = said.get('lang');
}

const LETTERS = {
  ArrowRight: () => go(state.step + 1), ArrowLeft: () => go(state.step - 1),
  Home: () => go(0), End: () => go(STEPS.length - 1),
  g: () => byId('other').click(),
  l: () => { state.lang = next_language(); draw(); },
  t: () => { state.theme = next_theme(); draw(); },
};

const DOWN_THE_LIST = { ArrowDown: 'ArrowRight', ArrowUp: 'ArrowLeft' };

function begin() {
  find_all_words(STEPS);
  read_link();
  build();
  for (const [name, key] of [['first', 'Home'], ['back', 'ArrowLeft'], ['forward', 'ArrowRight'],
    ['last', 'End'], ['language', 'l'], ['theme', 't']])
    byId(name).addEventListener('click', LETTERS[key]);
  byId('other').addEventListener('click', () => go(pair_of(STEPS[state.step])));
  byId('slider').addEventListener('input', (event) => go(Number(event.target.value)));
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.id === 'slider') return;
    const wide = event.target.closest('.scroll');  // scrolled with the arrow keys
    if (wide && wide.scrollWidth > wide.clientWidth && event.key.startsWith('Arrow')) return;
    const key = event.target.closest('#steps') && DOWN_THE_LIST[event.key] || event.key;
    if (LETTERS[key]) { event.preventDefault(); LETTERS[key](); }
  });
  addEventListener('hashchange', () => { read_link(); draw(); });
  draw();
}

begin();
