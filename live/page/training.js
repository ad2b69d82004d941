// Trainings that run in the page, in short requests so that they can be watched and stopped.

const PATIENCE = 120;  // target duration of one request in milliseconds
const CHECKS = 0.2;    // largest share of the time spent on checking
const SHOWN = 10;      // examples, wrong ones first
const GLANCES = 40;    // number of snapshots of a training: held-out loss and attention

const training = {};  // by panel: the training it shows

function new_run() {
  return { id: -1, update: 0, updates: 0, parameters: 0, losses: [], finished: false, checks: [],
    score: null, held: [] };
}

// The initial progress of a training: what reset() restores.
function new_course(spec) {
  return { number: 0, milliseconds: 0, checking: 0, error: '', taken: null, seen: [], at: -1,
    at_once: 1, made: null, recorded: false, runs: spec.runs.map(new_run) };
}

// spec: { task, settings: elements, updates, runs: [{ name(made), colour, options() }] }, where
// `made` is settings_of(), and for the charts { log, level(), share_level() }. checked: the number
// of examples on which it is scored from time to time, in batches of `part`; some of them are shown
// in `columns`. about(plan) describes in words what is trained. look(ids) resolves to the attention
// of the first run or, with `looks_at_all`, of each run, and draw_look(one, look) draws it.
// named(made) describes an earlier training, without the names of its runs and the seed. last(one)
// is called when all runs are done, draw(one) whenever the progress is drawn, keep(one) when there
// is something to keep. A panel may have several trainings, each named by `called`, and shows one.
function make_training(panel, spec) {
  const one = { panel, spec, going: false, turn: 0, earlier: [], plan: null, planned: '',
    drawing: null, next: 0, left: 0, drawn: [], ...new_course(spec) };
  if (!training[panel]) {
    training[panel] = one;
    build_training(one);
  }
  restore_earlier(one);
  return one;
}

// What would be trained with the current settings, requested once for each combination.
async function find_plan(one) {
  const request = { do: 'plan', task: one.spec.task, options: one.spec.runs[0].options(),
    seed: seed_of(one) };
  const planned = JSON.stringify(request);
  if (!loaded || one.planned === planned) return;
  one.planned = planned;
  const plan = await ask(request);
  if (one.planned !== planned) return;
  one.plan = plan;
  draw_soon(one);
}

// ---- running ------------------------------------------------------------------------------------

async function start_runs(one) {
  begin_own(one);
  if (one.runs.every(({ id }) => id < 0)) one.made = null;
  Object.assign(one, { number: number_of(one), made: settings_of(one) });
  const seed = seed_of(one), options = one.spec.runs.map((run) => run.options());
  for (const [i, run] of one.runs.entries()) {
    if (run.id >= 0) continue;
    const answer = await answered({ do: 'start', task: one.spec.task, options: options[i], seed });
    if (one.runs[i] !== run) {  // reset meanwhile
      await ask({ do: 'stop', id: answer.id });
      return;
    }
    Object.assign(run, answer);
  }
}

// Takes the held-out loss and the attention, about forty times per training.
async function glance(one) {
  const { runs, seen } = one, { look, looks_at_all } = one.spec, update = least_update(runs);
  const last = runs[0].held.length ? runs[0].held[runs[0].held.length - 1][0] : -Infinity;
  const is_last = runs.every((run) => run.finished) && last < update;
  if (update - last < step_between(runs) && !is_last) return;
  const answers = await Promise.all(runs.map(({ id }) => answered({ do: 'held_out', id })));
  answers.forEach(({ loss }, i) => runs[i].held.push([update, loss]));
  const ids = runs.map(({ id }) => id);
  if (look) seen.push({ update, look: await look(looks_at_all ? ids : ids.slice(0, 1)) });
}

function least_update(runs) { return Math.min(...runs.map((run) => run.update)); }
function step_between(runs) { return Math.ceil(runs[0].updates / GLANCES); }

// All runs advance to the same update, in parallel if there are processors: as far as the slowest
// gets in a moment, but never past the next snapshot, so that a fast machine shows as many as a
// slow one.
async function advance(one) {
  const n = Math.min(one.at_once, step_between(one.runs)), to = least_update(one.runs) + n;
  const times = new Map();  // by worker: work for others does not make our steps smaller
  await Promise.all(one.runs.filter(({ update }) => update < to).map(async (run) => {
    const { worker } = engine.trained.get(run.id) || {};
    const took = await go_on(run, to);
    times.set(worker, (times.get(worker) || 0) + took);
  }));
  const took = Math.max(1, ...times.values());
  one.at_once = Math.max(1, Math.min(50, Math.round(n * PATIENCE / took)));
}

async function go_on(run, to) {
  const answer = await answered({ do: 'steps', id: run.id, n: to - run.update });
  Object.assign(run, { update: answer.update, finished: answer.finished });
  run.losses.push(...answer.losses);
  return answer.took;
}

// The number of right answers among `count` examples, in batches, as a translator takes a while.
async function score_of(one, id, count, more = {}) {
  const all = { right: 0, of: 0, examples: [] }, { part } = one.spec;
  for (let last = 0; all.of < count && (all.of < last || !last);) {
    const answer = await answered(
      { do: 'score', id, ...more, ...(part && { first: all.of, count: part }) });
    all.right += answer.right;
    all.of += answer.of;
    all.examples.push(...answer.examples || []);
    last = answer.held_out || answer.of;
    if (!one.going) break;
  }
  return { ...all, share: all.right / all.of };
}

// Scores the runs that are due: at the end, and after every twentieth of the training unless
// scoring has taken too much time.
async function check(one) {
  const is_due = ({ finished, update, updates, checks }) => finished ||
    update - (checks.length ? checks[checks.length - 1][0] : 0) >= updates / 20 &&
    one.checking <= CHECKS * one.milliseconds;
  const due = one.spec.checked ? one.runs.filter(is_due) : [], start = performance.now();
  await Promise.all(due.map(async (run) => {
    run.score = { ...await score_of(one, run.id, run.finished ? Infinity : one.spec.checked),
      update: run.update };
    run.checks.push([run.update, run.score.share]);
  }));
  one.checking += performance.now() - start;
  return !!due.length;
}

// Runs until done or stopped; if the training was restarted meanwhile, a newer turn takes over.
async function go(one) {
  const turn = ++one.turn, is_on = () => one.going && one.turn === turn;
  one.going = true;
  one.error = '';
  let last = performance.now();
  const tick = () => {
    if (one.turn !== turn) return;
    one.milliseconds += performance.now() - last;
    last = performance.now();
  };
  try {
    await start_runs(one);
    await glance(one);
    while (is_on() && one.runs.some((run) => !run.finished)) {
      await advance(one);
      await glance(one);
      if (await check(one) && one.spec.keep && is_on()) await one.spec.keep(one);
      tick();
      draw_soon(one);
    }
    if (one.spec.last && is_on()) await one.spec.last(one);
    if (one.spec.keep && one.turn === turn) await one.spec.keep(one);
  } catch (error) {
    if (one.turn === turn) one.error = error.message;
  }
  if (one.turn === turn) {
    one.going = false;
    keep_as_earlier(one);
  }
  tick();
  draw_soon(one);
  draw_models();
  draw_scenes();
}

async function reset(one) {
  one.going = false;
  ++one.turn;
  const ids = one.runs.map((run) => run.id).filter((id) => id >= 0);
  take_earlier(one);
  keep_earlier(one);
  Object.assign(one, new_course(one.spec));
  if (one.spec.keep) one.spec.keep(one);
  if (ids.includes(writer.model)) use_model(-1);
  draw_training(one);
  draw_models();
  for (const id of ids) await ask({ do: 'stop', id });
}

// ---- what is shown ------------------------------------------------------------------------------

function part_of(one, name) { return byId(one.panel).querySelector(`[data-part=${name}]`); }
function control_of(one, name) {
  return byId(one.panel).querySelector(`[data-setting=${name}]`);
}
function setting_of(one, name) { return control_of(one, name).value; }
// All settings by name: those of the training in progress, or the current ones.
function settings_of(one) { return one.made || settings_shown(one); }
function seed_of(one) { return Math.max(0, Math.floor(Number(setting_of(one, 'seed'))) || 0); }

function build_training(one) {
  const shown = () => training[one.panel], named = `${one.panel}_examples_name`;
  byId(one.panel).append(byId('training').content.cloneNode(true));
  const on = (name, kind, action) => part_of(one, name).addEventListener(kind, action);
  part_of(one, 'settings').prepend(...one.spec.settings);
  on('settings', 'change', () => { draw_training(shown()); write_link(); });
  on('start', 'click', () => {
    if (shown().going) shown().going = false; else go(shown());
    draw_progress(shown());
    draw_soon(shown());
  });
  on('reset', 'click', () => reset(shown()));
  on('forget', 'click', () => { forget_earlier(shown()); part_of(one, 'start').focus(); });
  on('rewind', 'input', ({ target: { value } }) => {
    shown().at = Number(value) === shown().seen.length - 1 ? -1 : Number(value);
    draw_rewound(shown());
    draw_loss(shown());
  });
  part_of(one, 'charts').className = one.spec.checked ? 'two' : '';
  part_of(one, 'examples_card').setAttribute('aria-labelledby', named);
  part_of(one, 'examples_name').id = named;
}

// To start it, or to reset one that has begun.
function focus_on_start(one) {
  const start = part_of(one, 'start');
  (start.disabled ? part_of(one, 'reset') : start).focus();
}

// What is drawn for a training. While it runs, each in a separate frame, so that scrolling and
// typing wait for one of them at most.
const DRAWN = [draw_progress, draw_loss, draw_shares, draw_rewound];
function is_shown(one) { return training[one.panel] === one; }
function draw_training(one) {
  if (!is_shown(one)) return;
  offer_recorded(one);
  show_learning(one);
  for (const part of DRAWN) part(one);
}

// Once there is something to show, the layout changes in a lecture.
function show_learning(one) {
  byId(one.panel).classList.toggle('learning', !!one.seen.length);
  byId(one.panel).classList.toggle('compared', !!drawn_beside(one).length);
}

// Redraws all of them, starting with the next frame rather than while an answer is being processed.
function draw_soon(one) {
  one.left = DRAWN.length;
  one.drawing ??= requestAnimationFrame(() => draw_next(one));
}
function draw_next(one) {
  one.drawing = null;
  if (!is_shown(one)) return;
  one.drawing = --one.left ? requestAnimationFrame(() => draw_next(one)) : null;
  show_learning(one);
  DRAWN[one.next++ % DRAWN.length](one);
}

function draw_progress(one) {
  const [first] = one.runs, begun = one.runs.some((run) => run.id >= 0);
  const done = begun && one.runs.every((run) => run.finished);
  const start = part_of(one, 'start');
  const again = part_of(one, 'reset'), at = document.activeElement;
  set_label(start, word(one.going ? 'stop' : begun ? 'go_on' : 'start'));
  start.disabled = done && !one.going;
  again.disabled = !begun;
  const hidden = fills_card() ? one.earlier.length - drawn_beside(one).length : 0;
  set_label(part_of(one, 'forget'),
    word('forget') + (hidden ? word('earlier_hidden', hidden) : ''));
  part_of(one, 'forget').hidden = !one.earlier.length;
  if ((at === start || at === again) && at.disabled) (at === start ? again : start).focus();
  for (const setting of byId(one.panel).querySelectorAll('[data-setting]:not([data-shows])'))
    setting.disabled = begun || one.going;
  for (const list of byId(one.panel).querySelectorAll('select[data-setting]')) list.name_options();
  if (!begun && !byId(one.panel).hidden) find_plan(one);
  const plan = begun && first.about ? first : one.plan;
  set_label(part_of(one, 'plan'), plan && plan.about ? one.spec.about(plan) : '');
  set_label(part_of(one, 'brief'), begun && first.about ? brief_of(one) : '');
  const { updates } = first, update = Math.min(...one.runs.map((run) => run.update));
  part_of(one, 'progress').value = begun && updates ? update / updates : 0;
  const seconds = rounded(one.milliseconds / 1000);
  part_of(one, 'status').textContent = !begun ? one.recorded ? word('recorded_run', updates) : '' :
    first.kept ? word('kept_run', update, updates) : done ? word('finished', updates, seconds) :
    word('progress', update, updates, seconds);
  set_label(part_of(one, 'error'), one.error);
  part_of(one, 'error').hidden = !one.error;
  if (one.spec.draw) one.spec.draw(one);
}

// The mean of the last updates, with three decimals.
function last_loss(losses) {
  const last = losses.slice(-20);
  return (last.reduce((a, b) => a + b, 0) / last.length).toFixed(3);
}

function draw_loss(one) {
  if (byId(one.panel).hidden) return;
  const lines = lines_of(one);
  draw_losses(one, lines);  // first: it measures text, which would force a layout of all changes
  draw_legend(one, lines);
}

function draw_shares(one) {
  if (byId(one.panel).hidden) return;
  const { spec, runs } = one, [first] = runs, lines = lines_of(one);
  part_of(one, 'shares').hidden = !spec.checked;
  const card = part_of(one, 'examples_card');
  card.hidden = !examples_from(one);
  card.tabIndex = fills_card() ? 0 : -1;  // in a lecture it scrolls, also by keys
  if (!spec.checked) return;
  draw_chart(part_of(one, 'share'), { last: first.updates || spec.updates, range: [0, 100],
    x_title: word('updates'), y_title: '%',
    level: spec.share_level?.(),
    series: spec.runs.map((run, i) => ({ name: lines[i].name, colour: run.colour,
      x: runs[i].checks.map(([update]) => update),
      y: runs[i].checks.map(([, share]) => 100 * share) })) });
  const scored = runs.find((run) => run.score);
  part_of(one, 'share_name').textContent = word('unseen', scored ? scored.score.of : '…');
  draw_scores(one, lines);
}

// Shows the attention at one of the snapshots; follows the training until the user goes back.
// Redrawn only if something has changed.
function draw_rewound(one) {
  if (byId(one.panel).hidden) return;
  part_of(one, 'look_card').hidden = !one.seen.length;
  if (!one.seen.length) return;
  const last = one.seen.length - 1, at = one.at < 0 ? last : Math.min(one.at, last);
  const rewind = part_of(one, 'rewind'), { update, look } = one.seen[at];
  const drawn = [look, last, state.lang, css('--query'),
    fills_card() && `${innerWidth} ${innerHeight}`];
  if (drawn.every((value, i) => value === one.drawn[i])) return;
  one.drawn = drawn;
  rewind.max = last;
  rewind.value = at;
  part_of(one, 'rewound').textContent = word('at_update', update);
  one.spec.draw_look(one, look);
}

// The run whose examples are shown.
function examples_from(one) {
  const { examples_of } = one.spec, has = (run) => run.score && run.score.examples;
  return examples_of === undefined ? one.runs.find(has) : [one.runs[examples_of]].find(has);
}

function draw_scores(one, lines) {
  const row = (colour, name, score) => tag('tr', colour === null ? { class: 'other' } : {},
    tag('td', {}, ...(colour ? [swatch(colour)] : []), name),
  tag('td', { class: 'number' }, score ? `${percent(score.share)}` : word('not_yet')),
  tag('td', { class: 'number soft' }, score ? `${score.right} / ${score.of}` : ''));
  const named = ({ label, name }) => `${label} ${name}`.trim();
  const rows = lines.map((line) => row(line.colour, named(line), line.score));
  if (one.spec.taken) rows.splice(one.runs.length, 0, row('', word('taken_away'), one.taken));
  const drawn = drawn_beside(one), others = one.earlier.filter((record) => !drawn.includes(record));
  rows.push(...others.flatMap(({ number, made, runs }) => runs.map((run, i) => row(null,
    `${line_name(one, number, i)} ${one.spec.runs[i].name(made)} (${made_as(one, made)}): ` +
      `${word('loss')} ${run.last}`, run.score))));
  part_of(one, 'scores').replaceChildren(tag('table', { class: 'legend' }, ...rows));
  const scored = examples_from(one);
  if (!scored) return;
  const columns = one.spec.columns, { examples } = scored.score;
  const wrong = (example) => example.written !== example.expected;
  const right = (example) => !wrong(example);
  const some = [...examples.filter(wrong), ...examples.filter(right)].slice(0, SHOWN);
  const { name } = lines[one.spec.examples_of] || {};
  const title = word(some.some(wrong) ? 'draws' : 'draws_right');
  part_of(one, 'examples_name').textContent = name ? word('named', name, title) : title;
  part_of(one, 'examples').replaceChildren(
    tag('tr', {}, ...columns.map(([, name]) => tag('th', {}, word(name)))),
    ...some.map((example) => tag('tr', {}, ...columns.map(([field]) => tag('td',
      { class: field === 'written' && wrong(example) ? 'wrong' : '' },
      literal_line(String(example[field]) || word('nothing')))))));
}
