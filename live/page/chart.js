// A line chart that grows during training, redrawn as a whole each time: a few hundred points.

const ROOM = { left: 54, right: 10, top: 12, bottom: 36 };

// About four round numbers from low to high; on a logarithmic axis, powers of ten and three times
// these, unless the whole axis lies between two of them.
function ticks_of(low, high, log) {
  if (log && high / low > 4) {
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
      for (const part of [1, 3]) ticks.push(part * 10 ** power);
    return ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
  }
  const rough = (high - low) / 4, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((part) => part * power >= rough * 0.99);
  const ticks = [];
  for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + step * 1e-6; tick += step)
    ticks.push(Math.abs(tick) < step * 1e-6 ? 0 : tick);
  return ticks;
}

function height_of(values, log) {
  let low = Infinity, high = -Infinity;
  for (const value of values)
    if (Number.isFinite(value) && (!log || value > 0)) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  if (!(low <= high)) return log ? [0.1, 1] : [0, 1];
  if (log) return [low / 1.2, high * 1.2];
  const air = (high - low) * 0.05 || 0.5;
  return [low - air, high + air];
}

// In a lecture on a large screen, labels scale with the text.
const LECTURE_TEXT = 17.6;  // pixels, on a screen of 1280 x 720
function grown_by() {
  const size = parseFloat(getComputedStyle(document.documentElement).fontSize);
  return fills_card() ? Math.max(1, size / LECTURE_TEXT) : 1;
}

// The chart's share of the screen height in a lecture, set in the style sheet.
function share_of_screen(svg) {
  return Number(getComputedStyle(svg).getPropertyValue('--share')) || 0.36;
}

// series: [{ name, colour, x: [...], y: [...], dashed, end }]: a line and the label at its end.
// x runs from 0 to `last`, y over `range` or else over the data. `level` is a horizontal line:
// { value, name, left, below }; `mark` is the x of a vertical line. Where x is not the number to be
// shown below the axis, x_ticks are [[x, text], ...].
function draw_chart(svg, { series, last, log = false, range, x_title, y_title, level, mark,
  x_ticks = ticks_of(0, last, false).map((tick) => [tick, short(tick)]) }) {
  const grown = grown_by(), ends = series.filter(({ x, end }) => end && x.length);
  const leads = ends.length > 2 ? LEAD : 0;
  const right = ROOM.right + (ends.length ? 16 : 0) + leads;
  const width = Math.max(240, Math.min(1200, (svg.parentElement.clientWidth - 26) / grown));
  const height = fills_card() ? Math.round(share_of_screen(svg) * innerHeight / grown) : 260;
  const plot = height - ROOM.top - ROOM.bottom;
  let [low, high] = range || height_of(
    [...series.flatMap((line) => line.y), ...(level ? [level.value] : [])], log);
  if (level && level.below) {  // room for its name
    const part = 20 / plot;
    low = Math.min(low, (level.value - part * high) / (1 - part));
  }
  const scale = log ? Math.log : (value) => value;
  const x_at = (x) => ROOM.left + x / Math.max(last, 1) * (width - ROOM.left - right);
  const y_at = (y) => ROOM.top + (scale(high) - scale(y)) / (scale(high) - scale(low)) *
    plot;
  // Before any change: measuring text in between would force a style recalculation each time.
  const below = x_ticks.map(([tick, name]) =>
    [Math.min(x_at(tick), width - width_of(String(name), fills_card() ? 16 : 12) / 2), name]);
  fit_drawing(svg, width, height, grown);
  svg.setAttribute('aria-label', `${y_title}, ${x_title}`);
  svg.replaceChildren();
  const text = (attributes, content) => svg.append(shape('text',
    { 'font-size': 11, fill: css('--soft'), ...attributes }, content));
  const across = (y, colour, dashes) => svg.append(shape('line', { x1: ROOM.left,
    x2: width - right, y1: y, y2: y, stroke: colour, 'stroke-dasharray': dashes }));
  for (const tick of apart(ticks_of(low, high, log), y_at, log)) {
    across(y_at(tick), css('--line'), 'none');
    text({ x: ROOM.left - 6, y: y_at(tick) + 4, 'text-anchor': 'end' }, short(tick));
  }
  for (const [x, name] of below)
    text({ x, y: height - ROOM.bottom + 15, 'text-anchor': 'middle' }, name);
  text({ x: width - right, y: height - 5, 'text-anchor': 'end' }, x_title);
  text({ x: 0, y: 12 }, y_title);
  if (level) across(y_at(level.value), css('--soft'), '5 4');
  if (mark !== undefined)
    svg.append(shape('line', { x1: x_at(mark), x2: x_at(mark), y1: ROOM.top,
      y2: height - ROOM.bottom, stroke: css('--soft'), 'stroke-dasharray': '2 3' }));
  for (const line of series) svg.append(line_of(line, x_at, y_at, log));
  label_ends(ends, leads, x_at, y_at, log, svg, text,
    level && level.below ? y_at(level.value) : height - ROOM.bottom);
  if (level)  // with an outline: lines may cross it
    text({ x: level.left ? ROOM.left + 4 : width - right - 4,
      y: y_at(level.value) + (level.left ? 14 : -4),
      'text-anchor': level.left ? 'start' : 'end', 'stroke-width': 4, stroke: css('--card'),
      'paint-order': 'stroke', 'stroke-linejoin': 'round' }, level.name);
}

// The ticks of an axis whose labels do not overlap; powers of ten, or 0, are kept.
function apart(ticks, y_at, log) {
  const room = fills_card() ? 18 : 13;
  const least = Math.min(...ticks.slice(1).map((tick, i) => y_at(ticks[i]) - y_at(tick)));
  const every = Math.max(1, Math.ceil(room / least)) || 1;
  const first = ticks.findIndex((tick) => (log ? Number.isInteger(Math.log10(tick)) : tick === 0));
  return ticks.filter((_, i) => (i - Math.max(0, first)) % every === 0);
}

const LEAD = 14;  // pixels between the end of a line and a label moved away from it

// Puts each label at the end of its line, without overlaps and above `lowest`; if there are many
// lines, a leader connects each to its label.
function label_ends(lines, leads, x_at, y_at, log, svg, text, lowest) {
  const line = fills_card() ? 16 : 12;
  const height = (y) => (log && !(y > 0) ? 0 : y_at(y));
  const labels = lines.map(({ x, y, end, colour }) => ({ end, colour, x: x_at(x[x.length - 1]) + 4,
    from: height(y[y.length - 1]), y: height(y[y.length - 1]) + 4 }))
    .sort((one, other) => one.y - other.y);
  labels.forEach((one, i) => {
    if (i) one.y = Math.max(one.y, labels[i - 1].y + line);
  });
  for (let i = labels.length - 1, most = lowest; i >= 0; --i, most -= line)
    labels[i].y = Math.min(labels[i].y, most);
  labels.forEach((one) => {
    if (leads)
      svg.append(shape('line', { x1: one.x - 4, y1: one.from, x2: one.x + leads - 2,
        y2: one.y - 4, stroke: css(one.colour), class: 'lead' }));
    text({ x: one.x + leads, y: one.y, fill: css(one.colour), 'font-weight': 700, class: 'end' },
      one.end);
  });
}

// A long line is drawn as the means of groups of consecutive points, one per pixel or two.
function line_of({ name, colour, x, y, dashed }, x_at, y_at, log) {
  const bundle = Math.max(1, Math.ceil(x.length / 400)), points = [];
  for (let i = 0; i < x.length; i += bundle) {
    const part = y.slice(i, i + bundle), mean = part.reduce((a, b) => a + b) / part.length;
    if (Number.isFinite(mean) && (!log || mean > 0))
      points.push(x_at(x[Math.min(i + bundle, x.length) - 1]).toFixed(1) + ',' +
        y_at(mean).toFixed(1));
  }
  const line = shape('polyline', { points: points.join(' '), fill: 'none', 'stroke-width': 1.8,
    stroke: css(colour), 'stroke-linejoin': 'round', 'stroke-dasharray': dashed ? '5 3' : 'none' });
  line.append(shape('title', {}, name));
  return line;
}
