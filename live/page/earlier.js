// Trainings that were reset: their curves are drawn beside those of the next one, also after a
// reload.

const EARLIER = 4;   // are listed
const BESIDE = 2;    // of them are drawn
const POINTS = 150;  // of a curve, at most
const EARLIER_COLOURS = [['--before_1', '--before_2'], ['--before_3', '--before_4']];

function kept_name({ panel, spec }) { return `transformer-by-hand: earlier ${spec.called || panel}`; }

// A long curve as means over neighbouring points: [[update, loss], ...].
function thinned(losses) {
  const bundle = Math.max(1, Math.ceil(losses.length / POINTS)), points = [];
  for (let i = 0; i < losses.length; i += bundle) {
    const some = losses.slice(i, i + bundle);
    points.push([i + some.length, Number((some.reduce((a, b) => a + b) / some.length)
      .toPrecision(5))]);
  }
  return points;
}

// The record kept of a training: its settings and, for each run, its curves and its score; null
// while there is no line to draw yet.
function record_of(one) {
  if (one.recorded || one.runs.some((run) => run.held.length < 2)) return null;
  return { made: settings_of(one), number: number_of(one), runs: one.runs.map((run) => ({
    update: run.update, losses: thinned(run.losses), held: run.held, last: last_loss(run.losses),
    score: run.score && { right: run.score.right, of: run.score.of, share: run.score.share } })) };
}

// The trainings of a panel are numbered in the order they start.
function number_of(one) {
  return one.number || 1 + Math.max(0, ...one.earlier.map(({ number }) => number));
}

function take_earlier(one) {
  const record = record_of(one);
  if (record) one.earlier = [record, ...one.earlier].slice(0, EARLIER);
}

function keep_earlier(one, records = one.earlier) {
  try {
    localStorage.setItem(kept_name(one), JSON.stringify(records.slice(0, EARLIER)));
  } catch { /* then they are gone after a reload */ }
}

// Keeps the training in progress as an earlier one, for the case of a reload, unless the panel
// itself restores it.
function keep_as_earlier(one) {
  const record = one.spec.keep ? null : record_of(one);
  if (record) keep_earlier(one, [record, ...one.earlier]);
}

function restore_earlier(one) {
  try {
    const records = JSON.parse(localStorage.getItem(kept_name(one))) || [];
    const same = (record) => record.runs.length === one.runs.length;
    one.earlier = records.filter(same).slice(0, EARLIER)
      .map((record) => ({ ...record, is_kept: true }));
  } catch { /* nothing was kept */ }
}

function forget_earlier(one) {
  one.earlier = [];
  keep_earlier(one);
  draw_training(one);
}

// What is being trained, in a short form for a single line.
function brief_of({ runs, panel }) {
  const { heads, d_model, batch } = runs[0].about;
  const batches = ['train', 'without'].includes(panel) ? 'batch_of_words' : 'batch_of';
  const alike = runs.every(({ about }) => about && about.heads === heads);
  const several = runs[runs.length - 1].about && runs[runs.length - 1].about.heads;
  const of_heads = panel === 'neighbours' ?
    [word('widths', d_model, several, d_model / several, thousands(runs[0].parameters))] :
    !heads || !alike ? [] : panel === 'without' && heads === 1 ? [word('wide_head', d_model)] :
      [head_count(heads), `d_k = ${d_model / heads}`];
  return [...(panel === 'without' ? [word('new_ones')] : []), ...of_heads,
    ...(batch ? [word(batches, thousands(batch))] : [])].join(word('listed'));
}

// ---- what is drawn of them -----------------------------------------------------------------------

// The name of a training among several: "2", or "2a" and "2b" of two runs.
function line_name(one, number, i) {
  return !one.earlier.length ? '' : number + (one.runs.length > 1 ? 'ab'[i] : '');
}

// The earlier trainings drawn beside the present one: in a lecture at most one, from this visit, so
// that experiments made at home do not appear.
function drawn_beside(one) {
  return fills_card() ? one.earlier.filter(({ is_kept }) => !is_kept).slice(0, 1) :
    one.earlier.slice(0, BESIDE);
}

// The lines to draw: { label, name, made, colour, losses, held, last, score }, those of the present
// training first.
function lines_of(one) {
  const made = settings_of(one), beside = drawn_beside(one);
  const present = one.spec.runs.map((run, i) => ({
    label: beside.length ? line_name(one, number_of(one), i) : '', name: run.name(made), made,
    colour: run.colour,
    losses: one.runs[i].losses.map((loss, n) => [n + 1, loss]), held: one.runs[i].held,
    last: one.runs[i].losses.length ? last_loss(one.runs[i].losses) : '',
    score: one.runs[i].score }));
  return present.concat(beside.flatMap((record, age) =>
    record.runs.map((run, i) => ({ label: line_name(one, record.number, i), made: record.made,
      name: one.spec.runs[i].name(record.made), colour: EARLIER_COLOURS[age][i], ...run }))));
}

// The settings, except those that the names of the runs already tell.
function made_as(one, made) {
  return [...one.spec.named?.(made) || [], `${word('seed')} ${made.seed}`].join(word('listed'));
}

function draw_legend(one, lines) {
  const ends = (i) => lines[i].label && i % one.runs.length === one.runs.length - 1;
  const mark = (line, i) => tag('span', {}, swatch(line.colour),
    line.label ? tag('b', {}, `${line.label} `) : '', line.name,
    tag('b', { class: 'number' }, line.last ? ` ${line.last}` : ''),
    ends(i) ? tag('span', { class: 'soft' }, ` (${made_as(one, line.made)})`) : '');
  const stroke = (kind, name) => tag('span', { class: 'soft' }, tag('i', { class: kind }), word(name));
  part_of(one, 'legend').replaceChildren(...lines.map(mark), stroke('whole', 'trained_on'),
    stroke('dashed', 'held_out'));
}

// Draws the losses of all trainings in one chart, those of the present one on top.
function draw_losses(one, lines) {
  const points = (pairs) => ({ x: pairs.map(([update]) => update), y: pairs.map(([, y]) => y) });
  const { spec } = one, last = Math.max(one.runs[0].updates || spec.updates,
    ...lines.flatMap(({ losses }) => losses.slice(-1).map(([update]) => update)));
  draw_chart(part_of(one, 'loss'), { last, log: spec.log, level: spec.level && spec.level(),
    mark: one.at < 0 || !one.seen[one.at] ? undefined : one.seen[one.at].update,
    x_title: word('updates'), y_title: word('loss'),
    series: [...lines].reverse().flatMap(({ label, name, colour, losses, held }) => [
      { name: `${label} ${name}`.trim(), end: label, colour, ...points(losses) },
      { name: `${label} ${name}, ${word('held_out')}`.trim(), colour, dashed: true,
        ...points(held) }]) });
}
