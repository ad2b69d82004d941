// Chapter 2: attention by hand. Three words, each with a query, key and value in two dimensions, as
// arrows that can be dragged; and what attention is for, as measured in the chapter.

const HAND_STEP = 0.1;  // step of the arrow keys
const HAND_REACH = [[-2.5, 2.5], [-1.2, 2.2]];  // limits of x and y
const HAND_KINDS = ['q', 'k', 'v'];
// The geometry of a plane in pixels: its size, the position of (0, 0), and the length of 1.
const HAND = { wide: 320, high: 222, zero: [160, 143], unit: 60, name: 13 };
const hand = { row: 2, answer: null, asked: null, busy: false, stale: false, done: new Set(),
  ...structuredClone(PAGE.by_hand.vectors) };

// The tasks to try, and when each is achieved: judged by the weights of the selected row, or by
// which kind of vector was moved.
const HAND_TASKS = [
  { name: 'most', reached: ([, second]) => second > 0.5 },
  { name: 'alike', reached: (weights) => Math.max(...weights) - Math.min(...weights) < 0.02 },
  { name: 'sure', reached: (weights) => Math.max(...weights) > 0.95 },
  { name: 'values', reached: (_, moved) => moved === 'v' },
];

// ---- asking -------------------------------------------------------------------------------------

// Computes attention for the current vectors; intermediate states during a drag are skipped.
async function find_by_hand(moved = '') {
  if (hand.busy) { hand.stale = true; return; }
  hand.busy = true;
  const asked = structuredClone({ q: hand.q, k: hand.k, v: hand.v });
  const answer = await answered({ do: 'by_hand', ...asked });
  Object.assign(hand, { busy: false, answer, asked });
  for (const { name, reached } of HAND_TASKS)
    if (moved && reached(row_by_hand('weights'), moved)) hand.done.add(name);
  draw_hand();
  if (hand.stale) { hand.stale = false; find_by_hand(moved); }
}

// The row of the querying word.
function row_by_hand(name) {
  const { shape: [, columns], values } = hand.answer[name];
  return values.slice(hand.row * columns, (hand.row + 1) * columns);
}

function move_arrow(kind, at, x, y) {
  hand[kind][at] = [x, y].map((value, i) => Number(
    Math.max(HAND_REACH[i][0], Math.min(HAND_REACH[i][1], value)).toFixed(1)));
  find_by_hand(kind);
  write_link();
}

// ---- the address --------------------------------------------------------------------------------

// Which word is the query, and all vectors if any was moved.
function hand_in_link() {
  const numbers = HAND_KINDS.flatMap((kind) => hand[kind].flat()).join('_');
  const first = HAND_KINDS.flatMap((kind) => PAGE.by_hand.vectors[kind].flat()).join('_');
  return { ...(hand.row !== 2 && { asks: hand.row }), ...(numbers !== first && { vectors: numbers }) };
}

function read_hand(said) {
  const row = said.get('asks'), numbers = (said.get('vectors') || '').split('_').map(Number);
  hand.row = ['0', '1', '2'].includes(row) ? Number(row) : 2;
  const within = (one, i) => one >= HAND_REACH[i % 2][0] && one <= HAND_REACH[i % 2][1];
  const fit = numbers.length === 18 && numbers.every(within);
  const vectors = fit ? Object.fromEntries(HAND_KINDS.map((kind, i) => [kind,
    [0, 1, 2].map((word_at) => numbers.slice(6 * i + 2 * word_at, 6 * i + 2 * word_at + 2))])) :
    structuredClone(PAGE.by_hand.vectors);
  Object.assign(hand, vectors);
}

// ---- the planes ---------------------------------------------------------------------------------

function hand_place([x, y]) { return [HAND.zero[0] + x * HAND.unit, HAND.zero[1] - y * HAND.unit]; }
function hand_words(at) { return PAGE.by_hand.words[at]; }

function line_on_plane(from, to, attributes) {
  const [x1, y1] = hand_place(from), [x2, y2] = hand_place(to);
  return shape('line', { x1, y1, x2, y2, ...attributes });
}

function arrow_of(from, to, colour, more = {}) {
  const [x, y] = hand_place(from), [end_x, end_y] = hand_place(to);
  const long = Math.hypot(end_x - x, end_y - y) || 1, head = Math.min(10, long);
  const along = [(end_x - x) / long, (end_y - y) / long];
  const back = [end_x - head * along[0], end_y - head * along[1]];
  const group = shape('g', { stroke: css(colour), fill: css(colour), ...more });
  group.append(shape('line', { x1: x, y1: y, x2: back[0], y2: back[1],
    'stroke-width': more['stroke-width'] || 2.5 }),
  shape('polygon', { 'stroke-width': 0, points: [[end_x, end_y],
    ...[1, -1].map((side) => [back[0] - side * 0.45 * head * along[1],
      back[1] + side * 0.45 * head * along[0]])].map((one) => one.join()).join(' ') }));
  return group;
}

// Places labels at the tips of arrows, [vector, text, colour]: each as near as possible without
// overlapping another label or a handle, and with an outline.
function names_at(named, handles) {
  const taken = handles.map((vector) => {
    const [x, y] = hand_place(vector);
    return [x - 10, y - 10, x + 10, y + 10];
  });
  return named.map(([vector, text, colour]) => {
    const [x, y] = hand_place(vector), wide = width_of(text, HAND.name);
    const places = [13, 27, 41].flatMap((far) => [[x - wide / 2, y - far], [x + 13, y - far + 18],
      [x - 13 - wide, y - far + 18], [x - wide / 2, y + far + 10]])
      .map(([left, base]) => [Math.max(0, Math.min(HAND.wide - wide, left)), base]);
    const box = ([left, base]) => [left, base - 11, left + wide, base + 3];
    const inside = (one) => one[1] >= 0 && one[3] <= HAND.high;
    const free = (one) => !taken.some((other) => one[0] < other[2] && other[0] < one[2] &&
      one[1] < other[3] && other[1] < one[3]);
    const [left, base] = places.find((place) => inside(box(place)) && free(box(place))) || places[0];
    taken.push(box([left, base]));
    return shape('text', { x: left, y: base, 'font-size': HAND.name, fill: css(colour),
      stroke: css('--card'), 'stroke-width': 4, 'paint-order': 'stroke', 'stroke-linejoin': 'round',
      'pointer-events': 'none' }, text);
  });
}

function grid_of_plane() {
  const lines = [], [[left, right], [low, high]] = HAND_REACH;
  for (let at = -2; at <= 2; ++at) {
    const stroke = css(at ? '--line' : '--soft');
    lines.push(line_on_plane([at, low], [at, high], { stroke }));
    if (at >= low) lines.push(line_on_plane([left, at], [right, at], { stroke }));
  }
  return lines;
}

// The handle to drag: the tip of an arrow, which the arrow keys move as well.
function handle_of(kind, at, colour) {
  const [x, y] = hand[kind][at], [cx, cy] = hand_place([x, y]);
  return shape('circle', { cx, cy, r: 12, fill: css(colour), 'fill-opacity': 0.14,
    stroke: css(colour), 'stroke-opacity': 0.6, tabindex: 0, role: 'slider', 'data-vector': kind, 'data-at': at,
    'aria-label': word('named', `${kind} ${hand_words(at)}`, word('hand_ends')),
    'aria-valuenow': x, 'aria-valuemin': HAND_REACH[0][0], 'aria-valuemax': HAND_REACH[0][1],
    'aria-valuetext': pair_of([x, y], 1) });
}
function percent_of(share) { return `${Math.round(100 * share)}%`; }
function pair_of(vector, digits = 2) {
  return `(${vector.map((value) => signed(value, digits)).join(', ')})`;
}
function signed(value, digits = 2) {
  return value.toFixed(digits).replace(/^-(0\.?0*)$/, '$1').replace('-', '−');
}

// The selected word's query and all keys, each projected onto the line of the query: the foot of
// the perpendicular shows how far the key lies along it.
function draw_scores_plane() {
  const q = hand.q[hand.row], length = Math.hypot(...q), parts = grid_of_plane();
  const weights = row_by_hand('weights');
  if (length) {
    const far = q.map((one) => one / length * 5);
    parts.push(line_on_plane(far, far.map((one) => -one),
      { stroke: css('--query'), 'stroke-dasharray': '2 5', 'stroke-opacity': 0.7 }));
    for (const k of hand.k) {
      const along = (k[0] * q[0] + k[1] * q[1]) / length / length;
      parts.push(line_on_plane(k, q.map((one) => one * along),
        { stroke: css('--key'), 'stroke-dasharray': '3 3' }));
    }
  }
  for (const k of hand.k) parts.push(arrow_of([0, 0], k, '--key'));
  parts.push(arrow_of([0, 0], q, '--query', { 'stroke-width': 3.5 }));
  parts.push(...names_at([[q, `q ${hand_words(hand.row)}`, '--query'],
    ...hand.k.map((k, at) => [k, `k ${hand_words(at)} ${percent_of(weights[at])}`, '--key'])],
  [q, ...hand.k]),
    ...hand.k.map((_, at) => handle_of('k', at, '--key')), handle_of('q', hand.row, '--query'));
  fill_plane('hand_scores', parts);
}

// The values, more opaque the larger their weight, and their weighted sum, drawn tip to tail.
function draw_values_plane() {
  const weights = row_by_hand('weights'), parts = grid_of_plane();
  hand.v.forEach((v, at) => parts.push(arrow_of([0, 0], v, '--mark',
    { opacity: (0.25 + 0.75 * weights[at]).toFixed(2) })));
  let from = [0, 0];
  hand.v.forEach((v, at) => {
    const to = v.map((value, i) => from[i] + weights[at] * value);
    parts.push(arrow_of(from, to, '--before_1', { 'stroke-dasharray': '4 3', 'stroke-width': 2 }));
    from = to;
  });
  const output = row_by_hand('output');
  parts.push(arrow_of([0, 0], output, '--ink', { 'stroke-width': 3.5 }));
  parts.push(...names_at([...hand.v.map((v, at) => [v, `v ${hand_words(at)}`, '--mark']),
    [output, word('hand_output'), '--ink']], [...hand.v, output]),
    ...hand.v.map((_, at) => handle_of('v', at, '--mark')));
  fill_plane('hand_values', parts);
}

// The handles are recreated each time, so the focus is restored to the one that had it.
function fill_plane(id, parts) {
  const svg = byId(id), focused = svg.contains(document.activeElement) &&
    document.activeElement.dataset;
  svg.setAttribute('viewBox', `0 0 ${HAND.wide} ${HAND.high}`);
  svg.replaceChildren(...parts);
  if (focused)
    svg.querySelector(`[data-vector=${focused.vector}][data-at="${focused.at}"]`)
      ?.focus({ preventScroll: true });
}

// ---- the numbers --------------------------------------------------------------------------------

function draw_hand_table() {
  const q = hand.asked.q[hand.row], scores = row_by_hand('scores'), scaled = row_by_hand('scaled');
  const weights = row_by_hand('weights'), output = row_by_hand('output');
  const number = (text) => tag('td', { class: 'number' }, text);
  const product = (k) => k.map((value, i) => `${signed(q[i], 1)}·${signed(value, 1)}`).join(' + ');
  replace_in(byId('hand_table'), tag('table', {},
    tag('tr', {}, tag('th', {}, word('hand_word')), tag('th', { class: 'number' }, 'q · k'),
      tag('th', { class: 'number' }, '÷ √2'), tag('th', {}, word('softmax')),
      tag('th', { class: 'number' }, word('hand_share'))),
    ...hand.asked.k.map((k, at) => tag('tr', {}, tag('th', { scope: 'row' }, hand_words(at)),
      tag('td', { class: 'number', title: product(k) }, signed(scores[at])),
      number(signed(scaled[at])),
      tag('td', { class: 'number weight' }, bar_of(0.5 * weights[at]), weights[at].toFixed(2)),
      number(pair_of(hand.asked.v[at].map((value) => weights[at] * value))))),
    tag('tr', { class: 'sum' }, tag('th', { scope: 'row' }, word('hand_sum')), number(''), number(''),
      tag('td', { class: 'number weight' }, weights.reduce((a, b) => a + b).toFixed(2)),
      number(pair_of(output)))));
  const most = weights.indexOf(Math.max(...weights));
  byId('hand_said').textContent = word('hand_said', hand_words(hand.row), hand_words(most),
    percent_of(weights[most]), product(hand.asked.k[most]), signed(scores[most]));
}

function draw_hand_tasks() {
  replace_in(byId('hand_tasks'), ...HAND_TASKS.map(({ name }) => {
    const done = hand.done.has(name);
    return tag('li', done ? { class: 'done' } : {}, tag('span', { class: 'tick' }, done ? '✓' : '○'),
      tag('span', {},
        tag('span', { class: 'asked' }, word(`try_${name}`, hand_words(hand.row), hand_words(1))),
        ...(done ? [' ', tag('b', {}, word(`try_${name}_found`))] : [])));
  }));
}

function draw_hand_asks() {
  replace_in(byId('hand_asks'), ...PAGE.by_hand.words.map((one, at) => button_for(one, () => {
    hand.row = at;
    draw_hand();
    write_link();
  }, { 'aria-pressed': at === hand.row })));
}

// The chapter's measurements: the share of letters that are right, by the length of the sentence.
function draw_one_vector() {
  const { lengths, one_vector, attention } = PAGE.by_hand.measured;
  const [longest] = lengths.slice(-1), last = (row) => `${row[row.length - 1]}%`;
  byId('one_vector_is').replaceChildren(
    word('one_vector_is', longest, last(one_vector), last(attention)), gap(),
    site_way(`${state.lang}/${CHAPTERS.hand}.html`, word('chapter', 2)));
  draw_chart(byId('one_vector'), { range: [0, 105], last: longest, y_title: '%',
    x_title: word('one_vector_x'), x_ticks: lengths.map((length) => [length, length]),
    series: [[one_vector, '--query', 'one_vector_line'], [attention, '--key', 'attention_line']].map(
      ([y, colour, name]) => ({ name: word(name), colour, x: lengths, y,
        end: fills_card() ? '' : String(Math.round(y[y.length - 1])), dashed: y === one_vector })) });
  byId('one_vector_legend').replaceChildren(...[['--key', 'attention_line'],
    ['--query', 'one_vector_line']].map(([colour, name]) =>
    tag('span', {}, swatch(colour), word(name))));
}

function draw_hand() {
  if (state.panel !== 'hand') return;
  draw_hand_asks();
  draw_one_vector();
  if (!hand.answer) return;
  draw_scores_plane();
  draw_values_plane();
  draw_hand_table();
  draw_hand_tasks();
}

// ---- dragging -----------------------------------------------------------------------------------

function begin_hand() {
  for (const id of ['hand_scores', 'hand_values']) {
    const svg = byId(id);
    let held = null;  // which arrow
    const at = ({ clientX, clientY }) => {
      const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
      return [(x - HAND.zero[0]) / HAND.unit, (HAND.zero[1] - y) / HAND.unit];
    };
    svg.addEventListener('pointerdown', (event) => {
      if (!event.target.dataset.vector) return;
      held = { ...event.target.dataset };
      event.target.focus({ preventScroll: true });
      svg.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    svg.addEventListener('pointermove', (event) => {
      if (held) move_arrow(held.vector, Number(held.at), ...at(event));
    });
    for (const name of ['pointerup', 'pointercancel']) svg.addEventListener(name, () => { held = null; });
    svg.addEventListener('keydown', (event) => {
      const arrow = ARROWS[event.key], { vector, at: which } = event.target.dataset;
      if (!arrow || !vector) return;
      event.preventDefault();
      event.stopPropagation();
      const [x, y] = hand[vector][which];
      move_arrow(vector, Number(which), x + arrow[1] * HAND_STEP, y - arrow[0] * HAND_STEP);
    });
  }
  byId('hand_again').addEventListener('click', () => {
    Object.assign(hand, structuredClone(PAGE.by_hand.vectors));
    find_by_hand();
    write_link();
  });
}
