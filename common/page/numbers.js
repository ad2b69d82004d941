// The numbers from the C++ program. A block is { low, step, data }: base64 of 16-bit little-endian
// integers n, each of which stands for low + step n, accurate to step / 2.

const PAGE = JSON.parse(byId('data').textContent);
const COLOURS = bytes_of(PAGE.colours);  // viridis: 256 entries of red, green, blue
// For signed numbers, as in plot/scale.cpp: red below zero, blue above.
const RED_TO_BLUE = [[103, 0, 31], [178, 24, 43], [214, 96, 77], [244, 165, 130], [253, 219, 199],
  [247, 247, 247], [209, 229, 240], [146, 197, 222], [67, 147, 195], [33, 102, 172], [5, 48, 97]];
const SIGNED = Uint8Array.from({ length: 3 * 256 }, (_, i) => {
  const at = 10 * (Math.floor(i / 3) + 0.5) / 256, first = Math.floor(at), channel = i % 3;
  const [from, to] = [RED_TO_BLUE[first], RED_TO_BLUE[first + 1]].map((colour) => colour[channel]);
  return Math.round(from + (at - first) * (to - from));
});
function has_signs([low, high]) { return low < 0 && high > 0; }
function colours_of(range) { return has_signs(range) ? SIGNED : COLOURS; }

function bytes_of(base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function numbers_of(block) {
  const whole = new Uint16Array(bytes_of(block.data).buffer);  // all browsers run little-endian
  const numbers = new Float32Array(whole.length);
  for (let i = 0; i < numbers.length; ++i) numbers[i] = block.low + block.step * whole[i];
  return numbers;
}

// Which keys each query may see: Uint8Array T x S.
function allowed_of(view) {
  if (view.allowed) return view.allowed;
  const rows = view.queries.length, columns = view.keys.length;
  view.allowed = new Uint8Array(rows * columns);
  for (let q = 0; q < rows; ++q)
    view.allowed.fill(1, q * columns + view.reach[2 * q], q * columns + view.reach[2 * q + 1] + 1);
  return view.allowed;
}

// One layer of one checkpoint: weights and scores (all or null) as H x T x S arrays, lengths H x S,
// values H x S x Dk or null. Each is decoded once, on first use; cells left out are NaN.
function layer_of(view, checkpoint, layer) {
  const stored = view.checkpoints[checkpoint][layer];
  if (stored.decoded) return stored.decoded;
  const spread = (block, rest) => {
    if (!block) return null;
    const packed = numbers_of(block), cells = view.queries.length * view.keys.length;
    if (packed.length === view.heads * cells) return packed;
    const allowed = allowed_of(view), full = new Float32Array(view.heads * cells).fill(rest);
    for (let i = 0, next = 0; i < full.length; ++i)
      if (allowed[i % cells]) full[i] = packed[next++];
    return full;
  };
  const later = {
    weights: () => spread(stored.weights, 0),
    scores: () => spread(stored.scores, NaN),
    lengths: () => stored.lengths && numbers_of(stored.lengths),
    values: () => stored.values && numbers_of(stored.values),
  };
  stored.decoded = {
    precision: { weights: stored.weights.step / 2, scores: stored.scores && stored.scores.step / 2 },
  };
  for (const [name, decode] of Object.entries(later))
    Object.defineProperty(stored.decoded, name, { configurable: true, get() {
      const value = decode();
      Object.defineProperty(this, name, { value });
      return value;
    } });
  return stored.decoded;
}

// One head's T x S matrix at a stage. From the mask on, a masked cell is NaN.
function matrix_of(view, checkpoint, layer, head, stage) {
  const from = layer_of(view, checkpoint, layer), allowed = allowed_of(view);
  const columns = view.keys.length, cells = view.queries.length * columns, at = head * cells;
  const after = stage === 'softmax' || stage === 'weighted';
  const result = (after ? from.weights : from.scores).slice(at, at + cells);
  for (let i = 0; i < cells; ++i) {
    if (stage !== 'raw' && stage !== 'scaled' && !allowed[i]) result[i] = NaN;
    else if (stage === 'scaled' || stage === 'masked') result[i] *= view.scale;
    else if (stage === 'weighted') result[i] *= from.lengths[head * columns + i % columns];
  }
  return result;
}

// The head's output for one query, sum of w v; null where the page has no values.
function output_of(view, checkpoint, layer, head, query) {
  const from = layer_of(view, checkpoint, layer);
  if (!from.values) return null;
  const columns = view.keys.length, width = from.values.length / (view.heads * columns);
  const output = new Float32Array(width);
  for (let key = 0; key < columns; ++key) {
    const weight = from.weights[(head * view.queries.length + query) * columns + key];
    for (let i = 0; i < width; ++i)
      output[i] += weight * from.values[(head * columns + key) * width + i];
  }
  return output;
}

// The range of the colour scale: one for all heads of the view at this stage, or the head's own.
// For signed numbers it is symmetric around zero.
function range_of(matrices, stage, own) {
  if (stage === 'softmax' && !own) return [0, 1];
  let low = Infinity, high = -Infinity;
  for (const matrix of matrices)
    for (const value of matrix)
      if (value === value) { if (value < low) low = value; if (value > high) high = value; }
  if (stage === 'softmax' || stage === 'weighted') low = 0;
  if (!(low < high)) { high = low + 1; }
  if (has_signs([low, high])) { high = Math.max(-low, high); low = -high; }
  return Number.isFinite(low) ? [low, high] : [0, 1];
}

// The same colours, each packed into one opaque RGBA integer.
function packed(colours) {
  return Uint32Array.from({ length: 256 }, (_, n) =>
    0xff000000 | colours[3 * n + 2] << 16 | colours[3 * n + 1] << 8 | colours[3 * n]);
}
const PIXELS = packed(COLOURS), SIGNED_PIXELS = packed(SIGNED);

function entry_of(value, [low, high]) {
  return Math.max(0, Math.min(255, Math.floor(256 * (value - low) / (high - low))));
}

// A matrix as pixels; NaN is transparent.
function pixels_of(matrix, rows, columns, range) {
  const image = new ImageData(columns, rows), pixels = new Uint32Array(image.data.buffer);
  const table = has_signs(range) ? SIGNED_PIXELS : PIXELS;
  for (let i = 0; i < matrix.length; ++i)
    if (matrix[i] === matrix[i]) pixels[i] = table[entry_of(matrix[i], range)];
  return image;
}

// Red, green and blue.
function channels_of(value, range) {
  const n = 3 * entry_of(value, range);
  return colours_of(range).subarray(n, n + 3);
}
function colour_of(value, range) { return `rgb(${channels_of(value, range).join()})`; }
