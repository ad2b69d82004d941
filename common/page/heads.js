// Maps over layers and heads, and the attention of the selected head.

function view_now() { return PAGE.views[Math.min(state.view, PAGE.views.length - 1)]; }
function chosen() {
  const view = view_now();
  return [Math.min(state.layer, view.layers - 1), Math.min(state.head, view.heads - 1)];
}
function choose(layer, head) {
  const view = view_now();
  state.layer = Math.max(0, Math.min(view.layers - 1, layer));
  state.head = Math.max(0, Math.min(view.heads - 1, head));
  draw_all();
}
// After a click: scrolls the head's card into view where it is below the maps.
function go_to(layer, head) {
  choose(layer, head);
  if (matchMedia('(max-width: 900px)').matches) byId('head').scrollIntoView();
}

// The largest values of a map: [layer, head, value].
function strongest(view, map, count) {
  return map.values.map((value, i) => [Math.floor(i / view.heads), i % view.heads, value])
    .sort((a, b) => b[2] - a[2]).slice(0, count);
}

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function map_svg(view, map, most) {
  const wide = 126 / view.heads, high = Math.max(4, Math.min(12, 360 / view.layers)), left = 18;
  const [layer, head] = chosen();
  const svg = svg_tag('svg', { viewBox: `0 0 ${left + 127} ${view.layers * high + 12}`, tabindex: 0,
    role: 'application', 'aria-label': word('map_label', word(map.name)) });
  map.values.forEach((value, i) => svg.append(svg_tag('rect', {
    x: left + i % view.heads * wide, y: 12 + Math.floor(i / view.heads) * high, width: wide - .6,
    height: high - .6, fill: colour_of(value / most) })));
  const every = Math.max(1, Math.ceil(view.layers / 12));
  for (let i = 0; i < view.layers; i += every)
    svg.append(svg_tag('text', { x: left - 3, y: 12 + (i + .5) * high + 3, 'font-size': 8,
      'text-anchor': 'end' }, String(i)));
  for (let i = 0; i < view.heads; i += Math.max(1, Math.ceil(view.heads / 12)))
    svg.append(svg_tag('text', { x: left + (i + .5) * wide, y: 8, 'font-size': 8,
      'text-anchor': 'middle' }, String(i)));
  svg.append(svg_tag('rect', { x: left + head * wide - 1, y: 11 + layer * high, class: 'chosen',
    width: wide + 1.4, height: high + 1.4, 'stroke-width': 1.6 }));
  svg.addEventListener('click', (event) => {
    const at = new DOMPoint(event.clientX, event.clientY)
      .matrixTransform(svg.getScreenCTM().inverse());
    go_to(Math.floor((at.y - 12) / high), Math.floor((at.x - left) / wide));
  });
  svg.addEventListener('keydown', (event) => {
    const way = own(ARROWS, event.key);
    if (!way) return;
    event.preventDefault();
    choose(layer + way[0], head + way[1]);
  });
  return svg;
}

function figure_of(view, map) {
  const is_share = map.name !== 'removed';
  const most = is_share ? 1 : Math.max(1e-9, ...map.values);
  const buttons = strongest(view, map, 3).map(([layer, head, value]) => {
    const button = tag('button', { type: 'button', 'aria-label': word('at_head', `${layer}.${head}`) },
      `${layer}.${head} ${value.toFixed(2)}`);
    button.addEventListener('click', () => go_to(layer, head));
    return button;
  });
  const above = map.values.filter((value) => value > 0.5).length;
  return tag('figure', {}, tag('figcaption', {}, tag('b', {}, word(map.name)), tag('br'),
    tag('span', { class: 'soft' }, word(map.name + '_note'))), map_svg(view, map, most),
  tag('figcaption', {}, is_share ? word('above', above, map.values.length)
    : legend(0, short(most)), tag('br'), word('most'), ' ', ...buttons));
}

// The weights of one head as rows of numbers between 0 and 1.
function rows_of(view, text, layer, head) {
  text.bytes ??= bytes_of(text.weights);
  const t = text.queries.length, s = text.keys.length;
  const one = text.causal ? t * (t + 1) / 2 : t * s;
  let at = (layer * view.heads + head) * one;
  return Array.from({ length: t }, (_, i) => {
    const count = text.causal ? i + 1 : s, row = text.bytes.subarray(at, at + count);
    at += count;
    return Array.from(row, (byte) => byte / 255);
  });
}

function cut(token) {
  const shown = [...plain(token)];
  return shown.length > 11 ? shown.slice(0, 10).join('') + '…' : shown.join('');
}

function attention_of(view, text, layer, head) {
  const rows = rows_of(view, text, layer, head), cell = 13, left = 76, top = 66;
  const width = left + text.keys.length * cell + 32, height = top + rows.length * cell + 2;
  const svg = svg_tag('svg', { viewBox: `0 0 ${width} ${height}`, width, height,
    class: 'attention', role: 'img', 'aria-label': word(text.name) });
  rows.forEach((row, i) => {
    svg.append(svg_tag('text', { x: left - 4, y: top + (i + .5) * cell + 3.5, 'font-size': 10,
      'text-anchor': 'end' }, cut(text.queries[i])));
    row.forEach((weight, j) => svg.append(svg_tag('rect', { x: left + j * cell, y: top + i * cell,
      width: cell - .5, height: cell - .5, fill: colour_of(weight) })));
  });
  text.keys.forEach((key, j) => svg.append(svg_tag('text', { 'font-size': 10,
    transform: `translate(${left + (j + .5) * cell + 3}, ${top - 5}) rotate(-60)` }, cut(key))));
  const readout = tag('p', { class: 'soft readout' }, word('point'));
  svg.addEventListener('pointermove', (event) => {
    const at = new DOMPoint(event.clientX, event.clientY)
      .matrixTransform(svg.getScreenCTM().inverse());
    const i = Math.floor((at.y - top) / cell), j = Math.floor((at.x - left) / cell);
    const weight = rows[i]?.[j];
    readout.textContent = weight === undefined ? word('point') :
      word('cell', plain(text.queries[i]), plain(text.keys[j]), weight.toFixed(2));
  });
  return [tag('h2', {}, word(text.name)), tag('div', { class: 'scroll' }, svg), readout];
}

function head_card(view) {
  const [layer, head] = chosen();
  const numbers = view.maps.map((map) => tag('tr', {}, tag('th', {}, word(map.name)),
    tag('td', { class: 'number' }, map.values[layer * view.heads + head].toFixed(3)),
    tag('td', { class: 'soft' }, word(map.name + '_note'))));
  return tag('section', { class: 'card sticky', id: 'head' },
    tag('h2', { 'aria-live': 'polite' }, word('head', layer, head)),
    ...view.texts.flatMap((text) => attention_of(view, text, layer, head)),
    tag('p', { class: 'soft' }, word('rows'), ' ', legend(0, 1)),
    tag('div', { class: 'scroll' }, tag('table', { class: 'measures' }, ...numbers)));
}

function facts_card() {
  const say = ({ name, numbers }) => tag('li', {}, word(name === 'twice' ? 'twice_fact' : name,
    ...numbers.map(short)));
  return tag('section', { class: 'card' }, tag('h2', {}, word('facts')),
    tag('ul', {}, ...PAGE.facts.map(say)));
}

function views_row() {
  return tag('div', { class: 'row' }, ...PAGE.views.map((view, i) => {
    const button = tag('button', { type: 'button', 'aria-pressed': view === view_now() },
      word(view.name));
    button.addEventListener('click', () => { state.view = i; start(); draw_all(); });
    return button;
  }));
}

// The initial view: the strongest induction head, or else the strongest head of the first map.
function start() {
  const view = view_now(), map = view.maps.find((one) => one.name === 'induction') ?? view.maps[0];
  [state.layer, state.head] = strongest(view, map, 1)[0];
}

function draw() {
  const view = view_now();
  replace_in(byId('main'), tag('p', { class: 'soft' }, word('intro')),
    ...(PAGE.views.length > 1 ? [views_row()] : []),
    tag('div', { class: 'sides' },
      tag('section', { class: 'card maps' }, ...view.maps.map((map) => figure_of(view, map))),
      head_card(view)),
    ...(PAGE.facts.length ? [facts_card()] : []));
}

if (!location.hash.includes('layer=')) {
  state.view = 0;
  start();
  location.replace(`#layer=${state.layer}&head=${state.head}&lang=` +
    (new URLSearchParams(location.hash.slice(1)).get('lang') ?? state.lang));
}
const draw_all = begin(['view', 'layer', 'head'], draw);
