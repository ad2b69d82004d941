// What the causal mask and the division by √d_k are for (chapters 6 and 2): the same translator is
// trained with and without one of them, and its attention weights for one held-out sentence are
// compared cell by cell.

const PARTS = ['mask', 'scale'];
// Without label smoothing, the loss can approach 0; a short warm-up, as the user is waiting. A
// single head gets all 64 components of a row, so that there is something to divide by.
const LESSON = { smoothing: 0, updates: 300, warmup: 60, lr: 0.004 };
const HEADS_WITHOUT = { mask: 4, scale: 1 };
const TAUGHT = 1;  // index of a held-out sentence
const WITH = 0, WITHOUT = 1;
const taught = { layer: -1, head: -1, row: -1, column: -1 };  // layer -1: the most telling head

const left_out = {};  // by part: the training with and without it

function part_left_out() { return setting_of(training.without, 'part'); }

function begin_without() {
  const parts = choice('part', PARTS, () => word('left_out_part'), switch_name);
  const label = labelled('left_out_part', parts);
  parts.dataset.shows = '';  // changes what is shown, not what is trained
  for (const part of PARTS)
    left_out[part] = make_training('without', training_without(part, [label]));
  part_of(training.without, 'scores').after(tag('p', { class: 'found', id: 'found' }));
  parts.addEventListener('change', () => show_training_without(parts.value));
}

function training_without(left, settings) {
  const run = (prefix, colour) => ({ colour, name: ({ part }) => word(`${prefix}_${part}`),
    options: () => ({ ...LESSON, heads: HEADS_WITHOUT[left],
      ...(prefix === 'without' && { [left]: false }) }) });
  return { task: 'translator', log: true, updates: LESSON.updates, called: `without ${left}`,
    settings, runs: [run('with', '--key'), run('without', '--query')],
    checked: 100, part: 50, examples_of: WITHOUT,
    about: ({ parameters, about: { layers, d_model, heads, pairs, held_out, rate, warmup } }) =>
      word('without_plan', layers, d_model, head_count(heads), thousands(parameters),
        thousands(pairs), thousands(held_out), rate, warmup, d_model / heads),
    columns: [['source', 'source'], ['expected', 'expected'], ['written', 'written']],
    looks_at_all: true, look: (ids) => answers_of(ids, { do: 'taught', number: TAUGHT }),
    draw_look: draw_taught, draw: draw_found };
}

// Shows the training without this part; another one in progress keeps running.
function show_training_without(part) {
  const one = left_out[part];
  control_of(one, 'part').value = part;
  if (is_shown(one)) return;
  training.without = one;
  if (one.made) control_of(one, 'seed').value = one.made.seed;
  one.drawn = [];
  Object.assign(taught, { layer: -1, row: -1, column: -1 });
  draw_about('without');
  draw_training(one);
}

function show_left_out(part) {
  show_training_without(part);
  show_panel('without');
  focus_on_start(training.without);
}

// ---- which head ---------------------------------------------------------------------------------

// How telling a head is: without the mask, the weight of a row on the word that it has to predict,
// in the next column; without the scale, the largest weight of a row. Averaged over the rows.
function shown_by({ shape: [rows, columns], values }) {
  const row = (i) => values.slice(i * columns, (i + 1) * columns);
  const of_row = part_left_out() === 'mask' ? (i) => row(i)[i + 1] : (i) => Math.max(...row(i));
  const count = part_left_out() === 'mask' ? rows - 1 : rows;
  return Array.from({ length: count }, (_, i) => of_row(i)).reduce((a, b) => a + b) / count;
}

function heads_shown(look) {
  return look[WITHOUT].weights.flatMap((heads, layer) => heads.map((weights, head) =>
    ({ layer, head, share: shown_by(weights) })));
}

// The most telling head in the latest snapshot, so that going back in time does not change it.
function chosen_head(look) {
  const { seen } = training.without, last = heads_shown(seen.length ? seen.at(-1).look : look);
  const shown = last.reduce((most, one) => (one.share > most.share ? one : most));
  const { layer: at, head: of } = taught.layer < 0 ? shown : taught;
  return heads_shown(look).find(({ layer, head }) => layer === at && head === of);
}

function draw_head_choice(one, look) {
  const chosen = chosen_head(look), name = ({ layer, head }) => `${layer}.${head}`;
  const list = tag('select', { 'aria-label': word('layers_heads'), id: 'taught_head' },
    ...heads_shown(look).map((some) => tag('option', { value: name(some) },
      word(`shown_by_${part_left_out()}`, word('at', some.layer, some.head),
        ...[some.share, shown_by(look[WITH].weights[some.layer][some.head])].map((share) =>
          `${Math.round(100 * share)}%`)))));
  list.value = name(chosen);
  list.addEventListener('change', () => {
    [taught.layer, taught.head] = list.value.split('.').map(Number);
    draw_taught(one, look);
  });
  return list;
}

// ---- what is shown ------------------------------------------------------------------------------

function draw_taught(one, look) {
  const source = look[WITH].source.slice(0, -1).join(' ');
  part_of(one, 'look_name').textContent = word('taught_name', source);
  part_of(one, 'look_note').textContent = word('taught_note');
  replace_in(part_of(one, 'look'),
    tag('div', { class: 'row spread', id: 'taught_row' }, draw_head_choice(one, look),
      colour_bar([0, 1], word('softmax'))),
    figure_of(one, look, WITH), figure_of(one, look, WITHOUT),
    tag('p', { id: 'taught_cell', role: 'status' }));
  draw_taught_cell(look);
}

// Both losses, and the share of right translations of both models, in a sentence.
function draw_found(one) {
  const made = settings_of(one), names = one.spec.runs.map((run) => run.name(made));
  const said = [], say = (name, value, update) =>
    said.push(word(name, names[WITH], value(one.runs[WITH]), names[WITHOUT],
      value(one.runs[WITHOUT]), update));
  if (one.runs.every((run) => run.losses.length))
    say('found_losses', ({ losses }) => last_loss(losses), one.runs[WITH].update);
  if (one.runs.every((run) => run.score))
    say('found_right', ({ score }) => word('right_of', score.right, score.of),
      one.runs[WITH].score.update);
  const claim = state.lecture && said.length ?  // no room for it above the training
    word(`${part_left_out()}_about`) + gap() : '';
  byId('found').textContent = claim + said.join('');
}

function figure_of(one, look, which) {
  const { layer, head } = chosen_head(look), { colour, name } = one.spec.runs[which];
  const { weights, read, target, p, written, ended, causal } = look[which];
  const matrix = matrix_from(weights[layer][head]), { rows } = matrix;
  for (let row = 0; causal && row < rows; ++row)
    matrix.values.fill(NaN, row * rows + row + 1, (row + 1) * rows);
  const map = map_of(matrix, { rows: read.map((token, i) => `${token}→${target[i]}`),
    columns: read });
  draw_hidden(map, causal);
  listen_to_map(map, (row, column) => point_at_taught(look, row, column), taught);
  const mean = p.reduce((sum, one) => sum + one, 0) / p.length;
  const right = ended && written.join(' ') === target.slice(0, -1).join(' ');
  return named_map(map, name(settings_of(one)), colour, 'taught_cell',
    tag('p', {}, word('taught_p', mean.toFixed(3))), tag('p', { class: right ? '' : 'wrong' }, word('taught_written'), ' ',
    ...[...(written.length || !ended ? written : [word('nothing')]), ended ? '<eos>' : '…']
      .flatMap((token) => [tag('span', { title: meaning_of(token) }, literal(token)), ' '])));
}

// What the mask hides is hatched; without a mask, a dashed line has above it what it would hide.
function draw_hidden(svg, hatched) {
  if (hatched) hatch_hidden(svg, svg.cells, svg.cells.cell, svg.cells.cell);
  svg.append(edge_of_mask(svg.cells, hatched ? 'none' : '4 2', css('--query')));
}

function point_at_taught(look, row, column) {
  Object.assign(taught, { row, column });
  draw_taught_cell(look);
}

function forget_taught_cell() {
  Object.assign(taught, { row: -1, column: -1 });
  training.without.drawn = [];
  draw_rewound(training.without);
}

// Marks the cell in both maps and explains what the part does to it.
function draw_taught_cell(look) {
  for (const svg of byId('without').querySelectorAll('figure svg'))
    point_in_map(svg, taught.row, taught.column);
  byId('taught_cell').textContent = cell_in_words(look);
}

function cell_in_words(look) {
  const { row, column } = taught, { layer, head } = chosen_head(look), { read, target } = look[WITH];
  if (row < 0 || Math.max(row, column) >= read.length) return word(`taught_hint_${part_left_out()}`);
  const number = (matrix) => matrix.values[row * read.length + column];
  const weight = (which) => number(look[which].weights[layer][head]).toFixed(2);
  // The input of the softmax: in a model without the scale, the queries are √d_k times as large.
  const { d_model, heads } = training.without.runs[WITH].about;
  const score = (which) => (number(look[which].scores[layer][head]) / Math.sqrt(d_model / heads))
    .toFixed(2).replace('-', '−');
  const names = [read[row], target[row], read[column]].map(plain);
  const scale = part_left_out() === 'scale';
  if (column > row)
    return scale ? word('taught_hidden_from_both', ...names) :
      word('taught_hidden', ...names, score(WITH), weight(WITHOUT)) +
        (column === row + 1 ? word('taught_answer') : '');
  return scale ?
    word('taught_scaled', ...names, score(WITH), weight(WITH), score(WITHOUT), weight(WITHOUT)) :
    word('taught_seen', ...names, weight(WITH), weight(WITHOUT));
}

// ---- the address --------------------------------------------------------------------------------

function read_without() {
  const said = new URLSearchParams(location.hash.slice(1)).get('without');
  if (state.panel === 'without') show_training_without(PARTS.includes(said) ? said : PARTS[0]);
}
