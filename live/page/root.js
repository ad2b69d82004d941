// Chapter 2: why the scores are divided by the square root of d_k.

const root = { seed: 1, found: null, busy: false };
// What goes into the softmax, by the engine's name for it, and its colour.
const ROOT_WAYS = [['raw', '--query'], ['scaled', '--key'], ['divided', '--mark']];

async function find_saturation() {
  if (root.busy) return;
  root.busy = true;
  root.found = await ask({ do: 'saturation', seed: root.seed });
  root.busy = false;
  draw_root();
}

function draw_root() {
  const [, input, output] = byId('d_k').children, d_k = 2 ** state.power;
  input.setAttribute('aria-valuetext', d_k);
  input.value = state.power;
  output.textContent = d_k;
  if (!root.found || byId('root').hidden) return;
  const is_even = root.found.divided[state.power].largest < 1.35 / 16;  // nearly 1/16 for each key
  byId('root_why').textContent = [word('root_why', d_k, short(Math.sqrt(d_k))), word(is_even ?
    'root_divided_why' : 'root_divided_small', short(1 / Math.sqrt(d_k))), word('root_learns')]
    .join(gap());
  for (const [way, colour] of ROOT_WAYS)
    draw_root_row(byId(`root_${way}`), root.found[way][state.power], word(`root_${way}`), colour);
  draw_root_gradients();
  draw_root_table();
}

// The weights of one query as bars, with the score of each key below its bar.
function draw_root_row(svg, { scores, weights }, name, colour) {
  const grown = grown_by();
  const width = Math.max(300, Math.min(fills_card() ? 1200 : 640,
    (svg.parentElement.clientWidth - 26) / grown));
  const top = 26, high = fills_card() ? 66 : 90, one = width / weights.length;
  // Where the scores would overlap, every other one is moved down a line.
  const apart = fills_card() ? 16 : 12, lines = one < 44 ? 2 : 1;
  fit_drawing(svg, width, top + high + 10 + apart * lines, grown);
  svg.setAttribute('aria-label',
    `${name}: ${weights.map((weight) => weight.toFixed(2)).join(', ')}`);
  svg.replaceChildren(
    shape('text', { x: 0, y: 14, 'font-size': 13, 'font-weight': 700, fill: css(colour) }, name),
    shape('line', { x1: 0, x2: width, y1: top + high, y2: top + high, stroke: css('--line') }));
  weights.forEach((weight, i) => {
    const x = (i + 0.5) * one, y = top + high * (1 - weight);
    const text = (at, content, attributes) => svg.append(shape('text', { x, y: at,
      'text-anchor': 'middle', 'font-size': 10, fill: css('--soft'), ...attributes }, content));
    svg.append(shape('rect', { x: i * one + 2, y, width: one - 4, height: high * weight,
      fill: css(colour) }));
    if (weight >= 0.1) text(y - 4, weight.toFixed(2), { fill: css('--ink') });
    const score = scores[i].toFixed(1);
    text(top + high + 14 + apart * (i % lines), score === '-0.0' ? '0.0' : score.replace('-', '−'),
      i === 0 ? { x: 1, 'text-anchor': 'start' } :
        i === weights.length - 1 ? { x: width - 1, 'text-anchor': 'end' } : {});
  });
}

function draw_root_gradients() {
  const { found, found: { d_k } } = root;
  const series = ROOT_WAYS.map(([way, colour]) => ({ name: word(`root_${way}`), colour,
    x: d_k.map((_, i) => i), y: found[way].map(({ gradient }) => gradient) }));
  byId('root_legend').replaceChildren(...series.map(({ name, colour }) =>
    tag('span', {}, swatch(colour), name)));
  draw_chart(byId('root_gradient'), { series, last: d_k.length - 1, x_title: 'd_k',
    y_title: '', mark: state.power, range: [0, Math.max(...series.flatMap(({ y }) => y)) * 1.05],
    x_ticks: d_k.map((width, i) => [i, width]).filter((_, i) => i % 2 === 0) });
}

function draw_root_table() {
  const { found, found: { d_k } } = root, at = state.power;
  const number = (value) => tag('td', { class: 'number' },
    value && value < 0.001 ? value.toExponential(0) : value.toFixed(3));
  byId('root_table').replaceChildren(tag('table', {},
    tag('tr', {}, tag('td'), ...ROOT_WAYS.map(([way]) => tag('th', {}, word(`root_${way}`)))),
    ...['deviation', 'entropy', 'largest', 'gradient', 'median'].map((name) => tag('tr', {},
      tag('th', { scope: 'row' }, word(`root_${name}_is`, d_k[at],
        short(Math.sqrt(d_k[at])))), ...ROOT_WAYS.map(([way]) => number(found[way][at][name]))))));
}

function begin_root() {
  byId('d_k').children[1].addEventListener('input', (event) => {
    state.power = Number(event.target.value);
    draw_root();
    write_link();
  });
  byId('root_draw').addEventListener('click', () => {
    if (!root.busy) ++root.seed;
    find_saturation();
  });
}
