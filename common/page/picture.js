// The grid of all heads, and the enlarged picture of one head.

const SVG = 'http://www.w3.org/2000/svg';
function shape(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// In the layout by distance, column c is the key that lies c - (M + T - 1) behind the query.
function furthest(view) { return view.memory + view.queries.length - 1; }
function key_at(view, query, column) {
  if (state.layout === 'matrix') return column;
  const key = column - furthest(view) + view.memory + query;
  return key >= 0 && key < view.keys.length ? key : -1;
}
function column_at(view, query, key) {
  return state.layout === 'matrix' ? key : key - view.memory - query + furthest(view);
}
function columns_now(view) {
  if (state.layout === 'matrix') return view.keys.length;
  const ahead = view.kind === 'encoder' ? view.keys.length - 1 : 0;  // the others never look ahead
  return furthest(view) + 1 + ahead;
}

// The matrix in the selected layout, without rows after the current decoding step.
function laid_out(view, matrix) {
  const rows = view.queries.length, columns = columns_now(view);
  if (state.layout === 'matrix' && !veiled(view, rows - 1)) return matrix;  // as it is
  const result = new Float32Array(rows * columns).fill(NaN);
  for (let q = 0; q < rows; ++q) {
    if (veiled(view, q)) break;
    for (let c = 0; c < columns; ++c) {
      const key = key_at(view, q, c);
      if (key >= 0) result[q * columns + c] = matrix[q * view.keys.length + key];
    }
  }
  return result;
}
function veiled(view, query) {
  return state.step >= 0 && view.kind !== 'encoder' && !view.is_of_the_end && query > state.step;
}

// Maps a layer of the page to its number in the model, as a page may hold only some layers.
function layer_number(view, layer) {
  return view.layer_numbers ? view.layer_numbers[layer] : layer;
}

// The matrices of all heads at the stage, [layer][head], and their colour ranges.
let shown = null;
function compute() {
  const view = view_now(), all = [];
  const key = [state.view, state.checkpoint, state.stage, state.scale].join();
  if (shown && shown.key === key) return shown;
  for (let layer = 0; layer < view.layers; ++layer) {
    all.push([]);
    for (let head = 0; head < view.heads; ++head)
      all[layer].push(matrix_of(view, state.checkpoint, layer, head, state.stage));
  }
  // One range for all stages before the softmax can make the effect of the scaling visible.
  const own = state.scale === 'head', scored = !['softmax', 'weighted'].includes(state.stage);
  const whole = own ? null : scored && view.scored ? view.scored :
    range_of(all.flat(), state.stage, false);
  const ranges = all.map((heads) =>
    heads.map((matrix) => whole || range_of([matrix], state.stage, true)));
  shown = { key, all, ranges };
  return shown;
}

function fill_canvas(canvas, view, matrix, range) {
  const rows = view.queries.length, columns = columns_now(view);
  canvas.width = columns;
  canvas.height = rows;
  canvas.getContext('2d').putImageData(
    pixels_of(laid_out(view, matrix), rows, columns, range), 0, 0);
}

// ---- all heads -----------------------------------------------------------------------------------

function build_grid() {
  const view = view_now(), grid = byId('heads');
  const wanted = `${view.layers}x${view.heads}`;
  if (grid.dataset.size === wanted) return;
  grid.dataset.size = wanted;
  grid.style.gridTemplateColumns = `2rem repeat(${view.heads}, minmax(0, 5rem))`;
  grid.replaceChildren(tag('span', { class: 'name' }));
  for (let head = 0; head < view.heads; ++head)
    grid.append(tag('span', { class: 'name' }, String(head)));
  for (let layer = 0; layer < view.layers; ++layer) {
    grid.append(tag('span', { class: 'name' }, String(layer_number(view, layer))));
    for (let head = 0; head < view.heads; ++head) {
      const button = tag('button', { type: 'button', 'data-layer': layer, 'data-head': head },
        tag('canvas', { 'aria-hidden': 'true' }));
      button.addEventListener('click', () => change({ layer, head }));
      grid.append(button);
    }
  }
}

function draw_grid() {
  build_grid();
  const view = view_now(), { all, ranges } = compute(), veil = css('--veil');
  for (const button of byId('heads').querySelectorAll('button')) {
    const layer = Number(button.dataset.layer), head = Number(button.dataset.head);
    const canvas = button.firstChild;
    fill_canvas(canvas, view, all[layer][head], ranges[layer][head]);
    canvas.style.background = veil;
    const chosen = layer === state.layer && head === state.head;
    button.setAttribute('aria-pressed', chosen);
    button.setAttribute('aria-label', word('at', layer_number(view, layer), head));
    button.tabIndex = chosen ? 0 : -1;
  }
}

// ---- one head ------------------------------------------------------------------------------------

const measure = document.createElement('canvas').getContext('2d');
function width_of(text, size) {
  measure.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  return measure.measureText(text).width;
}
function cut(text) {
  const characters = [...text];
  return characters.length > 16 ? characters.slice(0, 15).join('') + '…' : text;
}

let place = null;  // the positions of the cells and the size of their labels: layout_of()
const SLOPE = Math.PI / 3;
const APART = 1.03 / Math.sin(SLOPE);  // least distance of slanted labels, in font sizes
const BELOW = 14;    // pixels below the cells
const MATRIX = 384;  // pixels: where the cells would get too small, the picture scrolls instead

function column_label(view, column) {
  if (state.layout === 'matrix') return cut(plain(view.keys[column]));
  const distance = column - furthest(view);
  return distance > 0 ? `+${distance}` : String(distance);
}

// The row labels: the queries, or names that the page provides.
function row_names(view) { return view.row_names || view.queries; }

// In lecture mode, if there is room, the picture fills its card, and labels are readable across a
// room; where they do not all fit at that size, only every n-th is shown.
function fills_card() { return !!state.lecture && innerWidth >= 1000; }
function lecture_names() {
  return 0.88 * parseFloat(getComputedStyle(document.documentElement).fontSize);
}

function layout_of(view, { clientWidth, clientHeight }) {
  const rows = view.queries.length, columns = columns_now(view), fills = fills_card();
  const text = fills ? lecture_names() : 12;
  const row_labels = row_names(view).map((token) => cut(plain(token)));
  const column_labels = Array.from({ length: columns }, (_, c) => column_label(view, c));
  const widest = (labels) => Math.max(...labels.map((label) => width_of(label, text)));
  const left = widest(row_labels) + 2.8 * text, tall = widest(column_labels) + 2.5 * text;
  const right = text + Math.max(5 * text, tall * Math.cos(SLOPE));
  const top = tall * Math.sin(SLOPE) + (fills ? 8 : 26);
  const least = fills ? 1 : Math.min(9, MATRIX / columns);
  const room = Math.min(fills ? (clientHeight - top - BELOW) / rows : 44,
    (clientWidth - left - right) / columns);
  const fitting = Math.max(0.2, least, room), cell = fitting > 3 ? Math.floor(fitting) : fitting;
  return { rows, columns, row_labels, column_labels, left, right, top, cell, fills,
    ...(fills ? names_for(cell, 0.8 * text, text) : names_for(cell, 9, 13)) };
}

// The font size of the labels, from `small` to `large`, and, where they do not all fit, how many
// cells share one. Labels need a distance of `apart` times their font size.
function names_for(cell, small, large, share = 0.8, apart = APART) {
  const fitting = Math.max(small, Math.min(large, share * cell));
  const size = apart * fitting > cell ? large : fitting;
  return { size, every: Math.ceil(apart * size / cell) };
}
// Is this label shown? The selected one always is, and hides those that would overlap it.
function stands(index, chosen, every) {
  return index === chosen || index % every === 0 &&
    (chosen < 0 || chosen % every === 0 || Math.abs(index - chosen) >= every);
}

function draw_picture() {
  const view = view_now(), { all, ranges } = compute(), svg = byId('picture');
  const matrix = all[state.layer][state.head], range = ranges[state.layer][state.head];
  place = layout_of(view, svg.parentElement);
  const { left, right, top, cell, rows, columns } = place;
  const wide = columns * cell, high = rows * cell;
  const width = Math.ceil(left + wide + right), height = Math.ceil(top + Math.max(high, 120) + BELOW);
  svg.replaceChildren();
  for (const [key, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
    svg.setAttribute(key, value);
  svg.classList.toggle('wide', width > svg.parentElement.clientWidth);
  svg.append(
    shape('rect', { width, height, fill: css('--card') }),
    shape('rect', { x: left, y: top, width: wide, height: high, fill: css('--veil') }));
  draw_cells(svg, view, matrix, range);
  draw_labels(svg, view);
  if (view.memory && state.layout === 'matrix') {
    const x = left + view.memory * cell;
    svg.append(shape('line', { id: 'boundary', x1: x, x2: x, y1: top - 5, y2: top + high + 5,
      stroke: '#d00000', 'stroke-width': 2, 'stroke-dasharray': '5 4' }));
  }
  svg.append(shape('rect', { x: left, y: top, width: wide, height: high, fill: 'none',
    stroke: css('--soft') }));
  draw_bar(svg, left + wide + 14, top, Math.max(Math.min(high, 220), 90), range);
  svg.append(shape('g', { id: 'cross' }));
  svg.append(shape('desc', { id: 'rows_heard' }, heard_rows(view, matrix).join(' ')));
  svg.setAttribute('aria-describedby', 'rows_heard');
  svg.setAttribute('aria-label',
    word('named', word('at', layer_number(view, state.layer), state.head), `${rows} × ${columns}`));
}

// Each row as text for screen readers: the keys with the largest weights.
function heard_rows(view, matrix) {
  const columns = view.keys.length;
  return row_names(view).map((token, q) => {
    const row = veiled(view, q) ? [] : [...matrix.subarray(q * columns, (q + 1) * columns)];
    const most = row.map((value, k) => [value, k]).filter(([value]) => value === value)
      .sort((a, b) => b[0] - a[0]).slice(0, 3)
      .map(([value, k]) => word('says_weight', plain(view.keys[k]), short_number(value)));
    return word('row_says', q, plain(token), most.join(', ') || word('nothing_seen'));
  });
}
// For lectures: .04 instead of 0.04 leaves room for a larger font in the cell.
function tight_number(value) {
  const text = Math.abs(value) < 0.995 ? value.toFixed(2) : value.toFixed(1);
  return text.replace(/^(-?)0\./, '$1.');
}
function short_number(value) {
  return value === 0 ? '0' : Math.abs(value) < 100 ? value.toFixed(2) : value.toPrecision(3);
}

// Drawn as an image, whatever the size, with the numbers on top where there is room for them.
function draw_cells(svg, view, matrix, range) {
  const { left, top, cell, rows, columns, fills } = place;
  const canvas = document.createElement('canvas');
  fill_canvas(canvas, view, matrix, range);
  svg.append(shape('image', { x: left, y: top, width: columns * cell, height: rows * cell,
    href: canvas.toDataURL(), preserveAspectRatio: 'none', style: 'image-rendering: pixelated' }));
  if (cell < (fills ? 28 : 34)) return;
  const values = laid_out(view, matrix);
  const numbers = shape('g', { 'aria-hidden': 'true' });  // screen readers get the rows as text
  const size = (text) => (fills ? Math.min(1.2 * place.size, 1.5 * cell / text.length) : 11);
  svg.append(numbers);
  for (let i = 0; i < values.length; ++i) {
    const value = values[i];
    if (value !== value) continue;
    const [red, green, blue] = channels_of(value, range);
    const luma = 0.299 * red + 0.587 * green + 0.114 * blue;
    const text = fills ? tight_number(value) : short_number(value);
    numbers.append(shape('text', { x: left + (i % columns + 0.5) * cell, 'text-anchor': 'middle',
      y: top + (Math.floor(i / columns) + 0.5) * cell + 0.36 * size(text), 'font-size': size(text),
      fill: luma > 140 ? '#000' : '#fff' }, text));
  }
}

function name_beside(attributes, index, text, colour) {
  const element = shape('text', { 'font-size': place.size, fill: colour, ...attributes });
  if (index !== '') element.append(shape('tspan', { fill: css('--soft') }, index + ' '));
  element.append(text);
  return element;
}
function name_of_row(view, q) {
  const { left, top, cell, row_labels, size } = place;
  return name_beside({ x: left - 6, y: top + (q + 0.5) * cell + size * 0.36, 'text-anchor': 'end',
    class: 'row', 'data-index': q }, q, row_labels[q], css(veiled(view, q) ? '--soft' : '--ink'));
}
function name_of_column(view, c) {
  const { left, top, cell, column_labels } = place, by_key = state.layout === 'matrix';
  return name_beside({ transform: `translate(${left + (c + 0.5) * cell} ${top - 6}) rotate(-60)`,
    class: 'column', 'data-index': c }, by_key ? c : '', column_labels[c],
  css(by_key && c < view.memory ? '--soft' : '--ink'));
}
function draw_labels(svg, view) {
  const { rows, columns, every } = place;
  for (let q = 0; q < rows; q += every) svg.append(name_of_row(view, q));
  for (let c = 0; c < columns; c += every) svg.append(name_of_column(view, c));
}

function draw_bar(svg, x, y, height, [low, high]) {
  const gradient = shape('linearGradient', { id: 'bar', x1: 0, x2: 0, y1: 1, y2: 0 });
  for (let i = 0; i <= 16; ++i)
    gradient.append(shape('stop', { offset: i / 16,
      'stop-color': colour_of(low + (high - low) * i / 16, [low, high]) }));
  svg.append(gradient, shape('rect', { x, y, width: 12, height, fill: 'url(#bar)' }));
  for (const part of [0, 0.5, 1])
    svg.append(shape('text', { x: x + 16, y: y + height * (1 - part) + (part === 1 ? 9 : part ? 4 : 0),
      'font-size': place.fills ? place.size : 10, fill: css('--soft') }, short(low + (high - low) * part)));
}

// In a wide picture, scrolls the selected column into view.
function scroll_to_column(column) {
  const box = byId('picture').parentElement, x = place.left + column * place.cell;
  if (x < box.scrollLeft || x + place.cell > box.scrollLeft + box.clientWidth)
    box.scrollLeft = x - box.clientWidth / 2;
}

// Marks the selected row and column, and the cell where they cross.
function draw_cross() {
  const view = view_now(), group = byId('cross'), { left, top, cell, rows, columns } = place;
  group.replaceChildren();
  const { query, key } = state;
  const frame = (x, y, width, height, stroke, thick = 2) => group.append(shape('rect',
    { x, y, width, height, fill: 'none', stroke, 'stroke-width': thick }));
  if (query >= 0) frame(left, top + query * cell, columns * cell, cell, css('--query'));
  if (key >= 0 && state.layout === 'matrix')
    frame(left + key * cell, top, cell, rows * cell, css('--key'));
  if (query >= 0 && key >= 0) {
    const column = column_at(view, query, key);
    if (column >= 0 && column < columns) {
      for (const [stroke, thick] of [['#000000', 4], ['#ffffff', 2]])  // on any colour
        frame(left + column * cell, top + query * cell, cell, cell, stroke, thick);
      scroll_to_column(column);
    }
  }
  const across = key < 0 ? -1 : state.layout === 'matrix' ? key : column_at(view, query, key);
  draw_chosen_name('row', query, name_of_row);
  draw_chosen_name('column', across, name_of_column);
}

function draw_chosen_name(side, chosen, name_of) {
  const { every, rows, columns } = place;
  if (chosen > 0 && chosen % every && chosen < (side === 'row' ? rows : columns))
    byId('cross').append(name_of(view_now(), chosen));
  for (const label of byId('picture').querySelectorAll(`text.${side}`)) {
    const index = Number(label.dataset.index);
    label.setAttribute('font-weight', index === chosen ? 700 : 400);
    label.setAttribute('visibility', stands(index, chosen, every) ? 'visible' : 'hidden');
  }
}

// The cell under the pointer, or null.
function cell_under(event) {
  const box = byId('picture').getBoundingClientRect(), view = view_now();
  const scale = Number(byId('picture').getAttribute('width')) / box.width;
  const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
  const column = Math.floor((x - place.left) / place.cell);
  const query = Math.floor((y - place.top) / place.cell);
  if (query < 0 || query >= place.rows || column >= place.columns) return null;
  const key = column < 0 ? -1 : key_at(view, query, column);
  return { query, key };
}
