// Animates a word's way through the drawing of the whole model: the boxes light up one after the
// other, and the vector that each passes on moves along. It can be paused and stepped through box
// by box; for users who prefer reduced motion, nothing moves by itself.

const JOURNEY = {
  source: ['source_embedding', 'source_positions', 'encoder_attention', 'encoder_norm_1',
    'encoder_feed_forward', 'encoder_norm_2'],
  target: ['target_embedding', 'target_positions', 'decoder_attention', 'decoder_norm_1',
    'cross_attention', 'decoder_norm_2', 'decoder_feed_forward', 'decoder_norm_3', 'linear',
    'softmax'],
};
// at: an index into stops(), -1 when there is no journey; begun: the time of arrival there, in
// milliseconds. A box takes `slow` milliseconds while the first word is written, then `fast`.
const journey = { at: -1, going: false, begun: 0, slow: 420, fast: 140, row: null };
const FLOWING = { wide: 96, high: 12 };

// All boxes that each word passes, { part, step }: the source goes through the encoder only once.
function stops() {
  const { target } = writer.answer;
  return target.flatMap((_, step) => [...(step ? [] : JOURNEY.source), ...JOURNEY.target].map((part) =>
    ({ part, step })));
}
function stop_now() { return journey.at < 0 || !writer.answer ? null : stops()[journey.at] || null; }
function stop_lasts() { return stop_now().step ? journey.fast : journey.slow; }

// The row that the box of this stop outputs: for the source, the row of its first word.
async function row_at({ part, step }) {
  const kind = FLOW_ATTENTION[part], { answer } = writer, row = reads_source(part) ? 0 : step;
  const layers = kind ? answer.maps[kind].length : answer.maps.encoder.length;
  const layer = Math.min(state.layer, layers - 1);
  const tensor = kind ? answer.maps[kind][layer][state.head] :
    await tensor_of(part, /^(encoder|decoder)_/.test(part) ? layer : 0);
  if (!tensor) return null;
  const columns = tensor.shape[1];
  return tensor.values.slice(row * columns, (row + 1) * columns);
}

// ---- going ---------------------------------------------------------------------------------------

function begin_journey() {
  pause();
  Object.assign(journey, { at: -1, going: true });
  draw_play();
  go_to_stop(0);
}

function toggle_journey() {
  if (!writer.answer) return;
  if (journey.going) { stop_journey(); return; }
  if (!stop_now()) {
    if (!is_calm()) { begin_journey(); return; }
    go_to_stop(0);  // without animation: the buttons or the keys step on
    return;
  }
  if (is_calm()) { step_journey(1); return; }
  Object.assign(journey, { going: true, begun: performance.now() });
  draw_play();
  requestAnimationFrame(travel);
}
function is_calm() { return matchMedia('(prefers-reduced-motion: reduce)').matches; }

function stop_journey() {
  journey.going = false;
  if (stop_now()) open_part(stop_now().part);  // its output, and its line of C++
  draw_play();
}

// Moves one box forward or back; after the last one, the whole translation is shown.
function step_journey(by) {
  if (!writer.answer) return;
  pause();
  journey.going = false;
  const last = stops().length - 1, next = journey.at < 0 && by < 0 ? last : journey.at + by;
  if (next < 0 || next > last) { end_journey(); return; }
  go_to_stop(next);
  open_part(stop_now().part);
  draw_play();
}

function end_journey() {
  Object.assign(journey, { at: -1, going: false, row: null });
  go_to_step(-1);
  draw_journey();
  draw_play();
}

function go_to_stop(at) {
  const before = stop_now();
  if (!before) byId('whole').scrollIntoView({ block: 'nearest' });  // starts at the lower end
  Object.assign(journey, { at, begun: performance.now() });
  const { part, step } = stop_now();
  if (!before || before.step !== step) go_to_step(step);
  else draw_flow_words();
  draw_journey();
  row_at({ part, step }).then((row) => {
    if (journey.at !== at) return;
    journey.row = row;
    draw_strip();
  });
  if (journey.going) requestAnimationFrame(travel);
}

// One animation frame: moves the row from the previous box to this one.
function travel(now) {
  if (!journey.going || !stop_now()) return;
  if (state.panel !== 'flow') { journey.going = false; return; }
  const part = (now - journey.begun) / stop_lasts();
  if (part < 1) { place_strip(part); requestAnimationFrame(travel); return; }
  if (journey.at + 1 < stops().length) go_to_stop(journey.at + 1);
  else end_journey();
}

// ---- what is shown -------------------------------------------------------------------------------

function draw_journey() {
  const now = stop_now();
  for (const box of flow_parts()) box.classList.toggle('lit', !!now && box.dataset.part === now.part);
  const strip = byId('strip');
  if (!now) { if (strip) strip.remove(); return; }
  if (!strip)
    byId('whole').firstChild.append(shape('image', { id: 'strip', width: FLOWING.wide,
      height: FLOWING.high, preserveAspectRatio: 'none', style: 'image-rendering: pixelated' }));
  place_strip(journey.going ? 0 : 1);
}

function middle_of(part) {
  const { x, y, width, height } = byId('whole').querySelector(`[data-part=${part}] > rect`).getBBox();
  return [x + width / 2, y + height];
}

// Moves between the lower edges of two boxes, easing in and out.
function place_strip(part) {
  const strip = byId('strip'), list = stops(), to = middle_of(list[journey.at].part);
  const before = list[journey.at - 1], smooth = part * part * (3 - 2 * part);
  const begins = !before || /_embedding$/.test(list[journey.at].part);
  const from = begins ? [to[0], to[1] + 30] : middle_of(before.part);
  if (strip)
    strip.setAttribute('transform', `translate(${[0, 1].map((i) =>
      (from[i] + (to[i] - from[i]) * smooth - (i ? FLOWING.high / 2 : FLOWING.wide / 2)).toFixed(1))})`);
}

function draw_strip() {
  const { row } = journey, strip = byId('strip');
  if (!row || !strip) return;
  const [low, most] = range_for(row);
  strip.setAttribute('href', address_of_image({ rows: 1, columns: row.length, values: row },
    [low, most || 1]));
}

function begin_journeys() {
  byId('flow_play').addEventListener('click', toggle_journey);
  byId('flow_back').addEventListener('click', () => step_journey(-1));
  byId('flow_next').addEventListener('click', () => step_journey(1));
}
