// Chapter 1: sinusoidal position encodings, their clock hands, their dot products.

const PLACES = 64, WIDTH = 32;  // positions and columns requested from the engine
const places = { encoding: null, dot: null, base: 10000, position: 5, busy: false, stale: false,
  running: 0 };

// The slider goes from 2 to 100,000 on a logarithmic scale, in round numbers.
function base_at(part) {
  const base = 2 * (100000 / 2) ** (part / 100);
  return Number(base.toPrecision(base < 10 ? 2 : 1));
}

async function find_positions() {
  if (places.busy) { places.stale = true; return; }
  places.busy = true;
  const answer = await ask(
    { do: 'positions', base: places.base, d_model: WIDTH, positions: PLACES });
  places.busy = false;
  places.encoding = matrix_from(answer.encoding);
  places.dot = matrix_from(answer.dot);
  places.wavelengths = answer.wavelengths;
  draw_positions();
  if (places.stale) { places.stale = false; find_positions(); }
}

function draw_positions() {
  for (const name of ['base', 'position']) byId(name).children[2].textContent = places[name];
  byId('position').children[1].value = places.position;
  set_label(byId('turn'), word(places.running ? 'pause' : 'turn'));
  byId('hands_name').textContent = word('hands', places.position);
  byId('hands_note').textContent = word('hands_note', WIDTH);
  byId('dot_name').textContent = word('dot', places.position);
  if (!places.encoding || byId('positions').hidden) return;
  draw_hands();
  draw_encoding();
  draw_dot();
}

// One clock per pair of columns, as in chapter 1: the hand points to (cos, sin), starting at the
// right and turning counterclockwise.
function draw_hands() {
  const { values, columns } = places.encoding, row = places.position * columns;
  byId('hands').replaceChildren(...Array.from({ length: columns / 2 }, (_, i) => {
    const sine = values[row + 2 * i], cosine = values[row + 2 * i + 1];
    const clock = shape('svg', { viewBox: '-22 -22 44 68', role: 'img',
      'aria-label': `${i}: sin ${short(sine)}, cos ${short(cosine)}` });
    clock.append(
      shape('circle', { r: 20, fill: 'none', stroke: css('--line'), 'stroke-width': 1.5 }),
      shape('line', { x1: 0, y1: 0, x2: 19 * cosine, y2: -19 * sine, stroke: css('--mark'),
        'stroke-width': 2.5, 'stroke-linecap': 'round' }),
      shape('text', { y: 32, 'text-anchor': 'middle', 'font-size': 10, fill: css('--ink') }, i),
      shape('text', { y: 43, 'text-anchor': 'middle', 'font-size': 9, fill: css('--soft') },
        String(Number(places.wavelengths[i].toPrecision(3)))));
    return clock;
  }));
}

function draw_encoding() {
  const svg = byId('encoding'), { rows, columns } = places.encoding;
  const left = 40, top = 4;
  const width = Math.max(200, Math.min(560, svg.parentElement.clientWidth - 26));
  const wide = width - left - 8, high = 5.5 * rows, y = top + (places.position + 0.5) * high / rows;
  fit_drawing(svg, width, high + 34);
  svg.replaceChildren(image_of(places.encoding, [-1, 1],
    { x: left, y: top, width: wide, height: high }));
  const text = (attributes, content) => svg.append(shape('text',
    { 'font-size': 11, fill: css('--soft'), ...attributes }, content));
  for (let row = 0; row < rows; row += 8)
    if (Math.abs(row - places.position) > 1)
      text({ x: left - 8, y: top + (row + 0.5) * high / rows + 4, 'text-anchor': 'end' }, row);
  for (let column = 0; column < columns; column += 4)
    text({ x: left + (column + 0.5) * wide / columns, y: top + high + 13, 'text-anchor': 'middle' },
      column);
  text({ x: width - 8, y: top + high + 28, 'text-anchor': 'end' }, word('column'));
  text({ x: left - 8, y: y + 4, 'text-anchor': 'end', 'font-weight': 700, fill: css('--ink') },
    places.position);
  svg.append(shape('rect', { x: left, y: y - high / rows / 2, width: wide, height: high / rows,
    fill: 'none', stroke: css('--query'), 'stroke-width': 2 }));
}

function draw_dot() {
  const { columns, values } = places.dot, row = places.position * columns;
  const y = Array.from(values.subarray(row, row + columns));
  draw_chart(byId('dot'), { last: columns - 1, x_title: word('position'), y_title: '',
    mark: places.position,
    series: [{ name: word('dot', places.position), colour: '--mark', x: y.map((_, i) => i), y }] });
}

function set_position(position) {
  places.position = within(position, PLACES - 1);
  draw_positions();
}

function run_positions() {
  clearInterval(places.running);
  places.running = places.running ? 0 :
    setInterval(() => set_position((places.position + 1) % PLACES), 160);
  draw_positions();
}

function begin_positions() {
  const [, base] = byId('base').children, [, position] = byId('position').children;
  base.value = 79;  // 10,000, the paper's
  position.max = PLACES - 1;
  base.addEventListener('input', () => {
    places.base = base_at(Number(base.value));
    find_positions();
  });
  position.addEventListener('input', () => set_position(Number(position.value)));
  byId('turn').addEventListener('click', run_positions);
}
