// What each layer of a model would predict, how sure it is, and how large its residual stream is.

const LAST = PAGE.layers.length - 1;
const length = PAGE.tokens.length;
function position() { return Math.min(state.token, length - 1); }
function choose(token) { state.token = token; draw_all(); }
function name_of(layer) { return layer === 0 ? word('input') : word('layer', layer - 1); }

function text_card() {
  const spans = PAGE.tokens.map((token, i) => {
    const p = i > 0 ? PAGE.layers[LAST].next[i - 1] : null;
    const button = tag('button', { type: 'button', 'aria-pressed': i === position(),
      style: p === null ? '' : `background: ${colour_of(p)}; color: ${ink_of(p)}` });
    const shown = /^ ?[^\s]*$/u.test(token) ? [token] : [literal(token)];
    button.append(...shown);
    button.addEventListener('click', () => choose(i));
    return button;
  });
  const at = position(), token = plain(PAGE.tokens[at]);
  const said = at === 0 ? word('no_token', token)
    : word('token', token, short(PAGE.layers[LAST].next[at - 1]));
  return tag('section', { class: 'card' }, tag('h2', {}, word('text')),
    tag('p', { class: 'soft' }, word('text_note'), ' ', legend(0, 1)),
    tag('div', { class: 'tokens' }, ...spans), tag('p', { class: 'readout' }, said));
}

function cell_of(layer, i) {
  const follows = state.mode === 1, next = PAGE.layers[layer].next[i];
  const [token, p] = follows ? [PAGE.tokens[i + 1] ?? '', next ?? 0] : PAGE.layers[layer].says[i][0];
  const cell = tag('td', { style: `background: ${colour_of(p)}; color: ${ink_of(p)}`,
    title: `${plain(token)}  ${short(p)}`, ...(i === position() ? { class: 'here' } : {}) },
  literal(token));
  cell.addEventListener('click', () => choose(i));
  return cell;
}

// The columns around the selected one: a long text has too many to show.
function columns() {
  const most = 40, first = Math.max(0, Math.min(position() - 6, length - most));
  return Array.from({ length: Math.min(most, length) }, (_, i) => first + i);
}

function lens_card() {
  const buttons = ['likeliest', 'follows'].map((name, mode) => {
    const button = tag('button', { type: 'button', 'aria-pressed': state.mode === mode }, word(name));
    button.addEventListener('click', () => { state.mode = mode; draw_all(); });
    return button;
  });
  const shown = columns();
  const heading = tag('tr', {}, tag('th'), ...shown.map((i) => tag('th', { scope: 'col' },
    literal(PAGE.tokens[i]))));
  const rows = PAGE.layers.map((_, layer) => tag('tr', {},
    tag('th', { scope: 'row' }, name_of(layer)), ...shown.map((i) => cell_of(layer, i))));
  return tag('section', { class: 'card' }, tag('h2', {}, word('says')),
    tag('div', { class: 'row' }, ...buttons),
    tag('p', { class: 'soft' }, word(state.mode === 1 ? 'follows_note' : 'says_note'), ' ',
      legend(0, 1)),
    tag('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': word('says') },
      tag('table', { class: 'lens' }, tag('thead', {}, heading), tag('tbody', {}, ...rows))));
}

function after_card() {
  const rows = PAGE.layers.map((layer, i) => tag('tr', {}, tag('th', { scope: 'row' }, name_of(i)),
    ...layer.says[position()].map(([token, p]) => tag('td', { title: short(p), style:
      `background: ${colour_of(p)}; color: ${ink_of(p)}` }, literal(token), ` ${p.toFixed(2)}`))));
  return tag('section', { class: 'card' },
    tag('h2', {}, word('after', plain(PAGE.tokens[position()]))),
    tag('p', { class: 'soft' }, word('after_note')),
    tag('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': word('after_note') },
      tag('table', { class: 'lens' }, ...rows)));
}

// Line charts over the layers, each line { name, values, colour }; `log`: a logarithmic y axis.
function chart_of(title, lines, log) {
  const width = 320, height = 170, left = 44, bottom = 22, right = 8, top = 8;
  const map = (v) => (log ? Math.log10(Math.max(v, 1e-9)) : v);
  const all = lines.flatMap((line) => line.values.map(map));
  const low = log ? Math.floor(Math.min(...all)) : 0, high = log ? Math.ceil(Math.max(...all))
    : Math.max(...all) * 1.05;
  const x = (i) => left + i / Math.max(1, LAST) * (width - left - right);
  const y = (v) => height - bottom - (map(v) - low) / (high - low || 1) * (height - bottom - top);
  const svg = svg_tag('svg', { viewBox: `0 0 ${width} ${height}`, class: 'chart', role: 'img',
    'aria-label': title });
  const marks = log ? Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i))
    : [0, .25, .5, .75, 1].map((share) => share * high);
  for (const mark of marks)
    svg.append(svg_tag('line', { x1: left, x2: width - right, y1: y(mark), y2: y(mark),
      stroke: css('--line') }), svg_tag('text', { x: left - 4, y: y(mark) + 3, 'font-size': 9,
      'text-anchor': 'end' }, String(Number(mark.toPrecision(2)))));
  for (let i = 0; i <= LAST; i += Math.max(1, Math.ceil(LAST / 8)))
    svg.append(svg_tag('text', { x: x(i), y: height - 8, 'font-size': 9, 'text-anchor': 'middle' },
      i === 0 ? word('input') : String(i - 1)));
  lines.forEach(({ name, values, colour }, n) => {
    svg.append(svg_tag('polyline', { points: values.map((v, i) => `${x(i)},${y(v)}`).join(' '),
      fill: 'none', stroke: css(colour), 'stroke-width': 2 }));
    if (name) svg.append(svg_tag('text', { x: left + 6, y: top + 10 + 12 * n, 'font-size': 10,
      style: `fill: ${css(colour)}` }, name));
  });
  return tag('div', {}, tag('h2', {}, title), svg);
}

function charts_card() {
  const of = (name) => PAGE.layers.map((layer) => layer[name]);
  const largest = of('feature_times').reduce((best, v, i, all) => (v > all[best] ? i : best), 0);
  const at = PAGE.layers[largest];
  return tag('section', { class: 'card' }, tag('h2', {}, word('charts')), tag('div', { class: 'charts' },
    chart_of(word('nats'), [{ values: of('nats'), colour: '--mark' }], false),
    chart_of(word('norm'), [{ name: word('norm_first'), values: of('norm_first'), colour: '--query' },
      { name: word('norm_rest'), values: of('norm_rest'), colour: '--key' }], true),
    chart_of(word('feature'), [{ values: of('feature_times'), colour: '--mark' }], true)),
  tag('p', { class: 'soft' }, word('feature_note', name_of(largest), at.feature,
    short(at.feature_size), short(at.feature_times))));
}

function draw() {
  const lens = document.querySelector('.lens')?.parentElement, left = lens?.scrollLeft ?? 0;
  replace_in(byId('main'), tag('p', { class: 'soft' }, word('intro')), text_card(), lens_card(),
    after_card(), charts_card());
  document.querySelector('.lens').parentElement.scrollLeft = left;
}

if (!location.hash.includes('token='))
  location.replace(`#token=${length - 1}&lang=` +
    (new URLSearchParams(location.hash.slice(1)).get('lang') ?? state.lang));
const draw_all = begin(['token', 'mode'], draw);
