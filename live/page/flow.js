// The drawing of the whole model (tools/book/whole.py) with the current sentence in it: a click on
// a box shows its output, with words labelling the rows.

const flow = { part: 'cross_attention', tensors: new Map(), row: -1, column: -1, zoom: 1,
  drawn: '', words: [] };
const FLOW_ATTENTION = { encoder_attention: 'encoder', decoder_attention: 'decoder',
  cross_attention: 'cross' };
const SPECIALS = ['<pad>', '<bos>', '<eos>', '<unk>'];  // the first ids of every vocabulary
const FLOW_LEFT = 92, FLOW_TOP = 84, FLOW_CELL = 26;

function flow_parts() { return [...byId('whole').querySelectorAll('[data-part]')]; }
function flow_box() { return byId('whole').querySelector(`[data-part=${flow.part}]`); }
function reads_source(part) { return /^(source|encoder)/.test(part); }

// ---- the drawing ---------------------------------------------------------------------------------

function draw_whole() {
  if (flow.drawn === state.lang) return;
  flow.drawn = state.lang;
  const drawing = new DOMParser().parseFromString(PAGE.whole[state.lang], 'image/svg+xml');
  byId('whole').replaceChildren(document.importNode(drawing.documentElement, true));
  set_all(byId('whole').firstChild, { role: 'group', 'aria-label': word('flow') });
  for (const box of flow_parts()) {
    const label = [...box.querySelectorAll('text')].map((text) => text.textContent);
    const chapter = word('chapter', label[1]), reads = box.dataset.part.startsWith('source');
    set_all(box, { role: 'button', tabindex: 0,
      'aria-description': reads ? word('named', word('source'), chapter) : chapter });
    box.addEventListener('click', () => open_part(box.dataset.part));
    box.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      open_part(box.dataset.part);
    });
  }
}

function open_part(part) {
  Object.assign(flow, { part, row: -1, column: -1 });
  draw_flow();
  write_link();
}

// Writes a sentence into the two lines of a place; the words after `last` are still to come.
function set_words(place, tokens, last, now) {
  const lines = [...byId('whole').querySelectorAll(`[data-words=${place}]`)];
  const half = Math.ceil(tokens.length / 2);
  lines.forEach((line, row) => {
    const first = row * half, some = tokens.slice(first, first + half);
    line.replaceChildren(...some.map((token, i) => shape('tspan', {
      class: first + i > last ? 'later' : first + i === now ? 'now' : '' },
    (i ? ' ' : '') + plain(token))));
    line.setAttribute('font-size', 15);
    const wide = line.getComputedTextLength();
    if (wide > 206) line.setAttribute('font-size', Math.max(7, 15 * 206 / wide).toFixed(1));
  });
}

function draw_flow_words() {
  if (state.panel !== 'flow' || !writer.answer) return;
  const { answer } = writer, last = state.step < 0 ? answer.target.length : state.step;
  set_words('source', answer.source, Infinity, -1);
  set_words('target', answer.read, last, state.step);
  const at = stop_now(), is_on_its_way = at && at.part !== 'softmax';
  set_words('next', answer.target, last - (is_on_its_way ? 1 : 0), state.step);
  draw_flow_row();
}

// ---- what a box gives on -------------------------------------------------------------------------

function draw_flow() {
  if (state.panel !== 'flow') return;
  draw_whole();
  for (const [id, name] of [['flow_back', 'box_back'], ['flow_next', 'box_next']])
    byId(id).title = word(name);
  if (document.activeElement !== byId('flow_sentence')) byId('flow_sentence').value = state.text;
  replace_in(byId('flow_examples'), ...examples_now().map((one) =>
    button_for(literal_line(one), () => write(one))));
  for (const box of flow_parts())
    box.setAttribute('aria-pressed', box.dataset.part === flow.part);
  const { error, problem } = writer, wrong = problem ? word(...problem) : error;
  byId('flow_error').hidden = !wrong;
  byId('flow_error').textContent = wrong;
  draw_part_head();
  const asked = !wrong && writer.answer, doubt = asked ? doubt_of_sentence(asked) : '';
  replace_in(byId('flow_doubts'), ...(asked ? doubts(asked, 'flow_') : []),
    ...(doubt ? [tag('p', { class: 'wrong', id: 'flow_no_sentence' }, doubt)] : []));
  if (!writer.answer || wrong) return;
  draw_flow_words();
  draw_part();
}

function draw_part_head() {
  const box = flow_box(), [label, chapter] = [...box.querySelectorAll('text')];
  const page = Object.keys(PAGE.chapters).find((name) => Number(name) === +chapter.textContent);
  const [path, line] = PAGE.code[flow.part];
  byId('part_name').textContent = label.textContent;
  byId('part_about').replaceChildren(word(`${flow_kind()}_is`), ' ',
    site_way(`${state.lang}/${PAGE.chapters[page]}.html`, word('chapter', chapter.textContent)), ' · ',
    site_way(`code/${path}.html#L-${line}`, `${path.split('/').pop()}:${line}`), ...way_to_step());
}

// A link to the step in the traced pass, if that page exists next to this one.
function way_to_step() {
  const step = PAGE.trace[flow.part];
  return step ? [' · ', tag('a', { ...NEW_TAB, href: `trace.html#step=${step}&lang=${state.lang}` },
    word('flow_step', step))] : [];
}

// embedding, positions, attention, norm, feed_forward, linear, softmax, encoder or decoder.
function flow_kind() {
  if (flow.part === 'decoder_attention') return 'part_masked';
  const kind = flow.part.replace(/^(source|target|encoder|decoder|cross)_/, '');
  return 'part_' + kind.replace(/_\d$/, '');
}

function choose_of(id, count, value, choose) {
  const list = byId(id);
  list.parentElement.hidden = count < 2;
  if (list.options.length !== count)
    list.replaceChildren(...Array.from({ length: count }, (_, i) => tag('option', {}, i)));
  list.value = value;
  list.onchange = () => choose(Number(list.value));
}

async function draw_part() {
  const { answer } = writer, kind = FLOW_ATTENTION[flow.part];
  const layers = answer.maps.encoder.length, heads = answer.maps.cross[0].length;
  const in_layer = kind || /^(encoder|decoder)_/.test(flow.part);
  const again = (some) => { Object.assign(state, some); draw_part(); write_link(); };
  choose_of('part_layer', in_layer ? layers : 0, state.layer, (layer) => again({ layer }));
  choose_of('part_head', kind ? heads : 0, state.head, (head) => again({ head }));
  const words = reads_source(flow.part) ? answer.source : answer.read;
  if (kind) {
    draw_likeliest(null);
    const columns = kind === 'decoder' ? answer.read : answer.source;
    const rows = kind === 'encoder' ? words :
      words.map((token, i) => `${token}→${answer.target[i]}`);
    show_tensor(answer.maps[kind][Math.min(state.layer, layers - 1)][state.head], rows, columns,
      [0, 1]);
    if (kind === 'decoder' && answer.causal)
      hatch_hidden(byId('part_map'), flow.shown, flow.shown.wide / columns.length, FLOW_CELL);
    return;
  }
  const { part } = flow, layer = in_layer ? Math.min(state.layer, layers - 1) : 0;
  const tensor = await tensor_of(part, layer);
  draw_likeliest(flow.part === 'softmax' ? answer : null);
  if (!tensor || part !== flow.part || writer.answer !== answer) return;
  const columns = flow.part === 'linear' || flow.part === 'softmax' ? flow.words : null;
  show_tensor(tensor, words, columns, range_for(tensor.values));
}

// After each word that was read, the likeliest next words.
function draw_likeliest(answer) {
  byId('part_words').replaceChildren(...(answer ? [tag('table', {}, ...answer.steps.map((step, i) =>
    tag('tr', {}, tag('th', {}, literal(answer.read[i])), ...step.candidates.slice(0, 3).map((one) =>
      tag('td', {}, one.token === answer.target[i] ? tag('b', {}, literal(one.token)) :
        literal(one.token), ' ', tag('span', { class: 'number soft' }, one.probability.toFixed(3)))))))
  ] : []));
}

// The engine's answer for a part, requested once for each sentence and setting.
async function tensor_of(part, layer) {
  const text = writer.answer.source.slice(0, -1).join(' '), switches = switches_now();
  const how = writing_options();
  const key = JSON.stringify([part, layer, text, switches, how, writer.model, model_update()]);
  if (flow.tensors.has(key)) return flow.tensors.get(key);
  const answer = await ask_model({ do: 'tensor', part, layer, text, switches, ...how });
  if (answer.error) { byId('part_cell').textContent = answer.error; return null; }
  if (flow.tensors.size > 20) flow.tensors.clear();
  flow.tensors.set(key, answer);
  return answer;
}

// Draws one tensor as a map: a row per word, a column per word or component.
function show_tensor({ shape: [rows, columns], values }, words, names, range) {
  const few = names && columns <= 64;
  const cell = few ? FLOW_CELL : Math.max(2, Math.min(8, Math.floor(560 / columns)));
  const widest = Math.max(...words.map((token) => width_of(plain(token), 13)));
  const left = Math.max(FLOW_LEFT, widest + 12), top = few ? FLOW_TOP : 8;
  const wide = columns * cell * flow.zoom, high = rows * FLOW_CELL;
  byId('part_shape').textContent =
    word('flow_shape', rows, columns, short_number(range[0]), short_number(range[1]));
  const svg = byId('part_map'), right = few ? 44 : 8;  // room for the last column's slanted label
  const width = left + wide + right, box = svg.parentElement;
  const fit = !fills_card() ? 1 : Math.max(1, Math.min(
    box.clientWidth / (left + columns * cell + right), box.clientHeight / (top + high + 8)));
  flow.shown = { rows, columns, values, words, names, left, top, wide };
  svg.cells = { left, top, cell: wide / columns, high: FLOW_CELL, rows, columns };
  fit_drawing(svg, width, top + high + 8, fit);
  const text = (x, y, label, more) => shape('text', { x, y, 'font-size': 13, fill: css('--ink'),
    ...more }, plain(label));
  svg.replaceChildren(image_of({ rows, columns, values }, range,
    { x: left, y: top, width: wide, height: high }),
  ...words.slice(0, rows).map((token, i) => text(left - 6, top + (i + 0.7) * FLOW_CELL, token,
    { 'text-anchor': 'end', class: 'row' })),
  ...(few ? names.slice(0, columns).map((token, i) => {
    const x = left + (i + 0.6) * cell * flow.zoom;
    return text(x, top - 6, token, { transform: `rotate(-50 ${x} ${top - 6})`, class: 'column' });
  }) : []),
  shape('rect', { id: 'part_row', fill: 'none', stroke: css('--query'), 'stroke-width': 2 }),
  shape('rect', { id: 'part_at', fill: 'none', stroke: css('--key'), 'stroke-width': 2 }));
  svg.setAttribute('aria-label',
    `${byId('part_name').textContent}: ${byId('part_shape').textContent}`);
  draw_flow_row();
  draw_flow_cell();
}

function frame_of(name, x, y, width, height, hidden) {
  set_all(byId(name), { x, y, width, height, visibility: hidden ? 'hidden' : 'visible' });
}

// Frames the row of the word that is being written.
function draw_flow_row() {
  if (!flow.shown || !byId('part_row')) return;
  const { left, top, wide, rows } = flow.shown, row = state.step;
  frame_of('part_row', left, top + row * FLOW_CELL, wide, FLOW_CELL,
    row < 0 || row >= rows || reads_source(flow.part));
}

function draw_flow_cell() {
  const { rows, columns, values, words, names, left, top, wide } = flow.shown;
  const { row, column } = flow, inside = row >= 0 && row < rows && column < columns;
  const cell = wide / columns;
  frame_of('part_at', left + column * cell, top + row * FLOW_CELL, cell, FLOW_CELL, !inside);
  byId('part_cell').textContent = !inside ? word('flow_hint') : word('flow_cell',
    plain(words[row]), names ? plain(names[column]) : column,
    short_number(values[row * columns + column]));
}

function begin_flow() {
  byId('flow_sentence').addEventListener('input', (event) => write(event.target.value));
  begin_journeys();
  byId('part_zoom').addEventListener('input', (event) => {
    flow.zoom = Number(event.target.value);
    draw_part();
  });
  listen_to_map(byId('part_map'), draw_flow_cell, flow);
}
