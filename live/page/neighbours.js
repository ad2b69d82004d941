// The purpose of multiple heads (chapter 2): attention alone, trained to predict the two neighbours
// of each letter of a line, with one head and with two or four.

const SEVERAL = [2, 4], SIDES = [-1, 1];
const beside_cell = { run: -1, head: -1, row: -1, column: -1 };  // that is pointed at

function begin_neighbours() {
  const several = (made) => head_count(Number(made.several));
  make_training('neighbours', { task: 'neighbours', log: false, updates: 900,
    settings: [labelled('beside', choice('several', SEVERAL, () => word('beside'), head_count))],
    runs: [{ colour: '--query', name: () => head_count(1), options: () => ({ heads: 1 }) },
      { colour: '--key', name: several,
        options: () => ({ heads: Number(setting_of(training.neighbours, 'several')) }) }],
    checked: 1, examples_of: 0,
    about: ({ parameters, about: { d_model, batch, letters, rate, warmup } }) =>
      word('neighbours_plan', d_model, thousands(parameters), batch, letters, rate, warmup),
    columns: [['line', 'neighbours_line'], ['letter', 'neighbours_letter'],
      ['expected', 'expected'], ['written', 'written']],
    looks_at_all: true, draw_look: draw_neighbours,
    look: async (ids) => (await answers_of(ids, { do: 'score' })).map(({ look }) => look),
    draw: draw_neighbours_found });
  part_of(training.neighbours, 'scores').after(tag('p', { class: 'found', id: 'neighbours_found' }));
}

function draw_neighbours(one, look) {
  part_of(one, 'look_name').textContent = word('neighbours_look', look[0].rows.join(' '));
  const made = settings_of(one), has_room = state.lecture && Number(made.several) === SEVERAL[0];
  part_of(one, 'look_note').textContent = word('neighbours_note') +
    (has_room ? gap() + word('neighbours_about') : '');
  replace_in(part_of(one, 'look'), colour_bar([0, 1], word('softmax')),
    ...look.flatMap(({ maps }, run) => maps[0].map((_, head) =>
      neighbours_figure(one.spec.runs[run], made, look, run, head))),
    tag('p', { id: 'neighbours_cell', role: 'status' }));
  draw_neighbours_cell(look);
}

// A head's map: a row label is a letter between its predicted neighbours, whose cells are framed.
function neighbours_figure({ colour, name }, made, look, run, head) {
  const { rows, said, maps } = look[run];
  const labels = rows.map((letter, i) => said_of(rows, said, i).join(`·${letter}·`));
  const map = map_of(matrix_from(maps[0][head]), { rows: labels, columns: rows });
  rows.forEach((_, row) => SIDES.map((side) => row + side).filter((at) => rows[at])
    .forEach((at) => frame_in(map, row, at, 1, '#ffffff', 2)));
  for (const label of map.querySelectorAll('.row')) strike_wrong(label, rows, said);
  const title = maps[0].length > 1 ? word('named', name(made), word('head_number', head)) :
    name(made);
  listen_to_map(map, () => {
    Object.assign(beside_cell, { run, head });
    draw_neighbours_cell(look);
  }, beside_cell);
  return named_map(map, title, colour, 'neighbours_cell');
}

// The two neighbours predicted for the letter; – where it has no neighbour.
function said_of(rows, said, i) {
  return SIDES.map((side, which) => (rows[i + side] ? said[i][which] : '–'));
}

// Marks wrong predictions in the label of a row.
function strike_wrong(label, rows, said) {
  const i = Number(label.dataset.index);
  const parts = said_of(rows, said, i).map((letter, which) => shape('tspan',
    rows[i + SIDES[which]] && letter !== rows[i + SIDES[which]] ? { class: 'said_wrong' } : {},
    letter));
  label.replaceChildren(parts[0], `·${rows[i]}·`, parts[1]);
}

// Selects the cell in all maps and shows each head's weight there.
function draw_neighbours_cell(look) {
  const { row, column } = beside_cell, { rows } = look[0];
  for (const svg of byId('neighbours').querySelectorAll('figure svg'))
    point_in_map(svg, row, column);
  byId('neighbours_cell').textContent = row < 0 ? word('neighbours_hint') :
    word('neighbours_cell', rows[row], rows[column], ...look.map(({ maps }) => maps[0]
      .map(({ values }) => values[row * rows.length + column].toFixed(2)).join(word('listed'))),
    ...look.map(({ said }) => said_of(rows, said, row).join(` ${rows[row]} `)));
}

function draw_neighbours_found(one) {
  const made = settings_of(one), done = one.runs.every((run) => run.score);
  byId('neighbours_found').textContent = !done ? '' : one.runs.map((run, i) =>
    word('neighbours_right', one.spec.runs[i].name(made), run.score.right, run.score.of)).join('') +
    (one.runs.every((run) => run.finished) ? word('neighbours_found') : '');
}
