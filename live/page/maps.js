// Small maps: a matrix with labelled rows and columns and selectable cells.

const MAP_CELL = 15, MAP_TEXT = 11, MAP_MOST = 48;
const map_canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });

// look: { rows, columns } and, for an episode of recall, { boundary, asked, secret }: the row of
// "?" and the cell of the capital letter are framed if present. As wide as its place, or, with the
// result of fit_maps(), sized in pixels and without labels that a neighbouring map has.
function map_of({ rows, columns, values }, look, range = [0, 1], fitted = null) {
  const { cell, size, every } = fitted || { cell: MAP_CELL, size: MAP_TEXT, every: 1 };
  const { is_left = true, is_top = true } = fitted || {};
  const wide = columns * cell, high = rows * cell, names = room_of_names(look, size);
  const { of_columns, slanted } = names;
  const left = is_left ? names.left : size / 2, top = is_top ? names.top : size / 2;
  const right = fitted ? fitted.right : slanted ? Math.max(4, ...of_columns.map((width, i) =>
    (i + 0.5) * cell + width * Math.cos(SLOPE) + 0.7 * size - wide)) : 4;
  const width = Math.ceil(left + wide + right), height = Math.ceil(top + high + 4);
  const svg = shape('svg', { role: 'img', viewBox: `0 0 ${width} ${height}` });
  if (fitted) Object.assign(svg.style, { width: `${width}px`, height: `${height}px` });
  Object.assign(svg, { cells: { left, top, cell, rows, columns, every }, values });
  svg.append(image_of({ rows, columns, values }, range,
    { x: left, y: top, width: wide, height: high }));
  const label = (kind, i, x, y, token, strong, more) => svg.append(shape('text', { x, y,
    class: kind, 'data-index': i, 'font-size': size, fill: css(strong ? '--query' : '--soft'),
    'font-weight': strong ? 700 : 400, visibility: stands(i, -1, every) ? 'visible' : 'hidden',
    ...more }, map_name(token)));
  if (is_left) look.rows.forEach((token, i) => label('row', i, left - 5,
    top + (i + 0.5) * cell + 0.36 * size, token, i === look.asked, { 'text-anchor': 'end' }));
  if (is_top) look.columns.forEach((token, i) => {
    const x = left + (i + 0.5) * cell + (slanted ? 0.36 * size : 0), y = top - 6;
    label('column', i, x, y, token, i === look.secret, slanted ?
      { transform: `rotate(-60 ${x} ${y})` } : { 'text-anchor': 'middle' });
  });
  if (look.boundary !== undefined) mark_recall(svg, look);
  return svg;
}

// The cells as an image that fills `box`.
function image_of(matrix, range, box) {
  return shape('image', { ...box, href: address_of_image(matrix, range),
    preserveAspectRatio: 'none', style: 'image-rendering: pixelated' });
}

function address_of_image({ rows, columns, values }, range) {
  const { canvas } = map_canvas;
  Object.assign(canvas, { width: columns, height: rows });  // which clears it
  map_canvas.putImageData(pixels_of(values, rows, columns, range), 0, 0);
  return canvas.toDataURL();
}

// The range of colours for these values: around 0 if some of them are below it.
function range_for(values) {
  const most = values.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  return [values.some((value) => value < 0) ? -most : 0, most];
}

// Sizes a drawing in pixels: its own, `grown` on the screen.
function fit_drawing(svg, width, height, grown = 1) {
  set_all(svg, { viewBox: `0 0 ${width} ${height}`, width: width * grown,
    height: height * grown });
}

function map_name(token) { return cut(plain(token)); }

// The room for labels of this size left of the cells and above them; long ones are slanted.
function room_of_names(look, size) {
  const widths = (tokens) => tokens.map((token) => width_of(map_name(token), size));
  const of_columns = widths(look.columns), widest = Math.max(...of_columns);
  const slanted = widest > 1.27 * size;
  return { of_columns, widest, slanted, left: Math.max(...widths(look.rows)) + 10,
    top: slanted ? widest * Math.sin(SLOPE) + 6 + 0.9 * size : size + 7 };
}

// Fits `count` maps with the same labels, `across` per row, into a box given in pixels: as large as
// possible, with labels of size `large` where there is room, left of the first map of a row and
// above the first row. `beside` is the extra space that each map needs above itself and right of
// its cells. Returns a function from the index of a map to its layout.
function fit_maps(look, count, across, box, beside, large) {
  const rows = look.rows.length, columns = look.columns.length, lines = Math.ceil(count / across);
  const right_of = ({ slanted, widest }, size) =>
    Math.max(beside.right, (slanted ? widest * Math.cos(SLOPE) : 0) + 0.7 * size);
  const cell_with = (size) => {
    const names = room_of_names(look, size), right = right_of(names, size) + size / 2 + 8;
    const room = Math.min((box.width - names.left - across * right) / (across * columns),
      (box.height - names.top - lines * (beside.above + size / 2 + 4)) / (lines * rows));
    return Math.max(3, Math.min(MAP_MOST, Math.floor(4 * room) / 4));
  };
  const apart = room_of_names(look, large).slanted ? APART : 1.03;
  const named = (cell) => names_for(cell, 0.78 * large, large, 1 / apart - 1e-6, apart);
  const roomy = cell_with(large), tight = cell_with(0.78 * large);
  const cell = named(roomy).every > 1 && named(tight).every === 1 ? tight : roomy;
  const { size, every } = named(cell), right = right_of(room_of_names(look, size), size);
  return (i) => ({ cell, size, every, right, is_left: i % across === 0, is_top: i < across });
}

// The edges of a map's cells, for aligning what is next to them.
function edges_of({ cells: { left, top, cell, columns } }) {
  return `--left: ${left}px; --top: ${top}px; --right: ${left + columns * cell}px`;
}

function mark_recall(svg, look) {
  const { left, top, cell, rows, columns } = svg.cells, edge = left + look.boundary * cell;
  svg.append(shape('line', { x1: edge, x2: edge, y1: top - 14, y2: top + rows * cell + 4,
    stroke: '#d00000', 'stroke-width': 2, 'stroke-dasharray': '5 4' }));
  frame_in(svg, look.asked, 0, columns, css('--query'));
  if (look.secret !== null) frame_in(svg, look.asked, look.secret, 1, css('--query'));
}

// Draws a frame around `count` cells of a row.
function frame_in(svg, row, column, count, stroke, thick = 2) {
  const { left, top, cell } = svg.cells;
  const frame = shape('rect', { x: left + column * cell, y: top + row * cell, width: count * cell,
    height: cell, fill: 'none', stroke, 'stroke-width': thick });
  svg.append(frame);
  return frame;
}

// Hatches the cells hidden by a causal mask, right of the diagonal; a cell is `wide` by `high`.
function hatch_hidden(svg, { left, top, rows, columns }, wide, high) {
  for (let row = 0; row < rows; ++row)
    for (let column = row + 1; column < columns; ++column)
      svg.append(shape('line', { class: 'hidden_cell', stroke: css('--soft'),
        x1: left + column * wide + 3, x2: left + (column + 1) * wide - 3,
        y1: top + (row + 1) * high - 3, y2: top + row * high + 3 }));
}

// The staircase line to the right of which the mask hides everything.
function edge_of_mask({ left, top, cell, rows }, dashes, stroke) {
  const steps = Array.from({ length: rows }, (_, row) => {
    const x = left + (row + 1) * cell, y = top + row * cell;
    return `${x},${y} ${x},${y + cell}`;
  });
  return shape('polyline', { points: steps.join(' '), fill: 'none', stroke, class: 'mask_edge',
    'stroke-width': 2, 'stroke-dasharray': dashes });
}

// ---- a cell of it -------------------------------------------------------------------------------

// Calls `show` with the row and the column under the pointer, or next to `chosen` by an arrow key,
// which become those of `chosen`. Without `chosen`, the page handles the arrow keys.
function listen_to_map(svg, show, chosen) {
  set_all(svg, { role: 'application', tabindex: 0 });
  const at = (row, column) => {
    const cell = [within(row, svg.cells.rows - 1), within(column, svg.cells.columns - 1)];
    if (chosen) [chosen.row, chosen.column] = cell;
    show(...cell);
  };
  const over = (event) => {
    const cell = cell_below(svg, event);
    if (cell) at(...cell);
  };
  svg.addEventListener('pointermove', over);
  svg.addEventListener('pointerdown', over);
  if (chosen) svg.addEventListener('keydown', (event) => {
    const arrow = ARROWS[event.key];
    if (!arrow || !svg.cells) return;
    event.preventDefault();
    event.stopPropagation();
    at(chosen.row + arrow[0], chosen.column + arrow[1]);
  });
}

function cell_below(svg, { clientX, clientY }) {
  if (!svg.cells) return null;
  const { left, top, cell, high = cell, rows, columns } = svg.cells;
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
  const row = Math.floor((y - top) / high), column = Math.floor((x - left) / cell);
  return row >= 0 && row < rows && column >= 0 && column < columns ? [row, column] : null;
}

// A map below its name, for what is said of the cells, in the element `heard`.
function named_map(map, name, colour, heard, ...below) {
  set_all(map, { 'aria-label': name, 'aria-describedby': heard });
  return tag('figure', {}, tag('figcaption', {}, swatch(colour), tag('b', {}, name)), map, ...below);
}

// Frames this cell only, or the whole row if column is -1; -1, -1 removes the frame. The labels of
// the framed cell are bold.
function point_in_map(svg, row, column) {
  for (const frame of svg.querySelectorAll('.at')) frame.remove();
  const [first, count] = column < 0 ? [0, svg.cells.columns] : [column, 1];
  if (row >= 0)
    for (const [stroke, thick] of [['#000000', 3], ['#ffffff', 1.5]])  // on any colour
      frame_in(svg, row, first, count, stroke, thick).setAttribute('class', 'at');
  for (const label of svg.querySelectorAll('.row, .column')) {
    const at = label.matches('.row') ? row : column, index = Number(label.dataset.index);
    const chosen = index === at;
    set_all(label, { visibility: stands(index, at, svg.cells.every) ? 'visible' : 'hidden',
      fill: css(chosen ? '--ink' : '--soft'), 'font-weight': chosen ? 700 : 400 });
  }
}

// ---- the scale of the colours -------------------------------------------------------------------

// A colour bar with the numbers at its ends and a caption.
function colour_bar(range, name) {
  const [low, high] = range, at = (share) => low + (high - low) * share;
  const stops = Array.from({ length: 17 }, (_, i) => colour_of(at(i / 16), range));
  const number = (share) => tag('span', { class: 'number' }, short(at(share)));
  return tag('span', { class: 'row scale', role: 'img',
    'aria-label': `${name}: ${short(low)} – ${short(high)}` },
  tag('span', { class: 'soft' }, name), number(0),
  tag('i', { style: `background: linear-gradient(to right, ${stops.join()})` }), number(1));
}
