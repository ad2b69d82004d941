// Steps through what a program computed, forward and backward.

const PAGE = JSON.parse(byId('data').textContent), STEPS = PAGE.steps;
const THEMES = ['auto', 'light', 'dark'];
const state = { step: 0, theme: 'auto',
  lang: (navigator.language || '').startsWith('zh') ? 'zh' : 'en' };

function word(name, ...values) {
  return values.reduce((text, value, i) => text.split(`{${i}}`).join(value),
    WORDS[state.lang][name] ?? name);
}

// A step's gradient, and the forward step of a gradient: places in STEPS.
const gradient_of = new Map(), forward_of = new Map();
STEPS.forEach((step, i) => {
  if (!step.backward) forward_of.set(step.number, i);
  else if (!gradient_of.has(step.of)) gradient_of.set(step.of, i);
});
function pair_of(step) {
  return step.backward ? forward_of.get(step.of) : gradient_of.get(step.number);
}

function title_of(step) {
  const name = step.name || step.op;
  return step.backward ? `∂ ${name}` : name;
}

function build() {
  byId('steps').replaceChildren(...STEPS.map((step, i) => {
    const button = tag('button', { type: 'button' },
      tag('span', { class: 'index' }, String(step.number)), title_of(step));
    button.addEventListener('click', () => go(i));
    return tag('li', step.backward ? { class: 'backward' } : {}, button);
  }));
  byId('slider').max = STEPS.length - 1;
}

function go(step) {
  state.step = Math.max(0, Math.min(STEPS.length - 1, step));
  draw();
}

// Numbers as cells, blue above zero and orange below it.
function fill(table, step) {
  const most = Math.max(...step.numbers.filter(Number.isFinite).map(Math.abs), 1e-30);
  const rows = [];
  for (let row = 0; row < step.rows; ++row) {
    const cells = [];
    for (let column = 0; column < step.columns; ++column) {
      const value = step.numbers[row * step.columns + column];
      const share = Number.isFinite(value) ? Math.round(55 * Math.abs(value) / most) : 0;
      const colour = value < 0 ? '--query' : '--key';
      cells.push(tag('td', { style: `background: color-mix(in srgb, var(${colour}) ${share}%,` +
        ' transparent)' }, Number.isFinite(value) ? short(value) : value));
    }
    rows.push(tag('tr', {}, ...cells));
  }
  table.replaceChildren(...rows);
}

function corner(step) {
  const sizes = step.shape.match(/\d+/g) || [];
  const columns = Number(sizes[sizes.length - 1] || 1), rows = Number(sizes[sizes.length - 2] || 1);
  const whole = sizes.length < 3 && rows === step.rows && columns === step.columns;
  return whole ? step.shape : `${step.shape}, ${word('corner', step.rows, step.columns)}`;
}

function draw_facts(step) {
  const row = (name, text) => text && byId('facts').append(
    tag('tr', {}, tag('th', {}, word(name)), tag('td', {}, text)));
  byId('facts').replaceChildren();
  row('inputs', step.backward ? '' : step.inputs.join('  '));
  row('shape', step.shape);
  row('spread', step.spread);
  row('scope', step.scope);
  row('place', step.file && `${step.file}:${step.line}`);
}

function draw_code(step) {
  byId('file').textContent = step.file ? `${step.file}:${step.line}` : word('none');
  const lines = PAGE.sources[step.file];
  if (!lines) { byId('code').textContent = word('unknown'); return; }
  const first = Math.max(0, step.line - 14);
  byId('code').replaceChildren(...lines.slice(first, step.line + 12).map((line, i) => tag('span',
    first + i + 1 === step.line ? { class: 'here' } : {}, tag('i', {}, String(first + i + 1)), line)));
}

function draw() {
  const step = STEPS[state.step], other = STEPS[pair_of(step)];
  const value = step.backward ? other : step, gradient = step.backward ? step : other;
  document.documentElement.lang = state.lang === 'zh' ? 'zh-CN' : 'en';
  if (state.theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = state.theme;
  byId('title').textContent = PAGE.title;
  byId('language').textContent = state.lang === 'zh' ? 'English' : '中文';
  byId('theme').textContent = word(state.theme);
  for (const name of ['first', 'back', 'forward', 'last'])
    byId(name).setAttribute('aria-label', word(name));
  byId('slider').value = state.step;
  byId('place').textContent = `${state.step + 1} / ${STEPS.length}` +
    (PAGE.dropped ? ` (${word('dropped', PAGE.dropped)})` : '');
  byId('other').textContent = word(step.backward ? 'to_forward' : 'to_gradient');
  byId('other').disabled = !other;
  byId('name').textContent = step.backward ? word('gradient_of', step.name || step.op) : title_of(step);
  byId('formula').textContent = `${step.name ? step.name + ' = ' : ''}${step.op}` +
    (step.formula ? `:  ${step.formula}` : '');
  draw_facts(step);
  byId('value_name').textContent = value ? `${word('value')} ${corner(value)}` : word('value');
  if (value) fill(byId('value'), value);
  else byId('value').replaceChildren();
  byId('gradient_card').hidden = !gradient;
  if (gradient) {
    byId('gradient_name').textContent = `${word('gradient')} ${corner(gradient)}`;
    fill(byId('gradient'), gradient);
  }
  draw_code(step);
  for (const [i, item] of [...byId('steps').children].entries()) {
    const here = i === state.step;
    if (here) item.firstChild.setAttribute('aria-current', 'step');
    else item.firstChild.removeAttribute('aria-current');
    if (here) byId('steps').scrollTop = item.offsetTop - byId('steps').offsetTop - 150;
  }
  history.replaceState(null, '', `#step=${step.number}&lang=${state.lang}`);
}

function read_link() {
  const said = new URLSearchParams(location.hash.slice(1));
  const step = STEPS.findIndex((one) => one.number === Number(said.get('step')));
  state.step = Math.max(0, step);
  if (WORDS[said.get('lang')]) state.lang = said.get('lang');
}

const LETTERS = {
  ArrowRight: () => go(state.step + 1), ArrowLeft: () => go(state.step - 1),
  Home: () => go(0), End: () => go(STEPS.length - 1),
  g: () => byId('other').click(),
  l: () => { state.lang = state.lang === 'zh' ? 'en' : 'zh'; draw(); },
  t: () => { state.theme = THEMES[(THEMES.indexOf(state.theme) + 1) % 3]; draw(); },
};

function begin() {
  read_link();
  build();
  for (const [name, key] of [['first', 'Home'], ['back', 'ArrowLeft'], ['forward', 'ArrowRight'],
    ['last', 'End'], ['language', 'l'], ['theme', 't']])
    byId(name).addEventListener('click', LETTERS[key]);
  byId('other').addEventListener('click', () => go(pair_of(STEPS[state.step])));
  byId('slider').addEventListener('input', (event) => go(Number(event.target.value)));
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.id === 'slider') return;
    if (LETTERS[event.key]) { event.preventDefault(); LETTERS[event.key](); }
  });
  addEventListener('hashchange', () => { read_link(); draw(); });
  draw();
}

begin();
