// What a switch breaks: the engine translates all sentences that were held out, in small requests
// between which it answers whatever else the page asks.

const MOMENT = 40;     // milliseconds that one request should take
const WHOLE = { heads_off: [] };
const counts = new Map();  // by model and switches: { of, held_out, wrong, done }
const counting = { going: false, at_once: 8, drawn: 0 };

// ---- groups of heads ----------------------------------------------------------------------------

// Switches that stand for many heads at once.
const GROUPS = {
  cross_heads: (kind) => kind === 'cross',
  other_heads: (kind, layer, head) => head > 0,
};

// The heads of a group, "cross 1 2", in the model that translates now.
function heads_of(group) {
  const names = [];
  for (const kind of KINDS)
    writer.whole.maps[kind].forEach((heads, layer) => heads.forEach((_, head) => {
      if (GROUPS[group](kind, layer, head)) names.push(`${kind} ${layer} ${head}`);
    }));
  return names;
}

function is_off(name) {
  if (!GROUPS[name]) return writer.off.has(name);
  return !!writer.whole && heads_of(name).every((head) => writer.heads_off.has(head));
}

function turn(name, on) {
  if (!GROUPS[name]) {
    if (on) writer.off.delete(name);
    else writer.off.add(name);
    return;
  }
  for (const head of heads_of(name))
    if (on) writer.heads_off.delete(head);
    else writer.heads_off.add(head);
}

function turn_all_on() {
  writer.off.clear();
  writer.heads_off.clear();
}

// The switches of a request, and in the same order whatever was switched first.
function switches_with(off, heads_off) {
  const switches = { heads_off: [...heads_off].sort().map((name) => {
    const [kind, layer, head] = name.split(' ');
    return [kind, Number(layer), Number(head)];
  }) };
  for (const name of SWITCHES) if (off.has(name)) switches[name] = false;
  return switches;
}

function switches_now() { return switches_with(writer.off, writer.heads_off); }
function switches_without(name) {
  return GROUPS[name] ? switches_with(new Set(), heads_of(name)) :
    switches_with(new Set([name]), []);
}

// ---- counting -----------------------------------------------------------------------------------

function count_of(switches) {
  const key = JSON.stringify([writer.model, model_update(), switches]);
  if (!counts.has(key)) counts.set(key, { of: 0, held_out: 0, wrong: [], done: false });
  return counts.get(key);
}
function model_update() { return writer.model < 0 ? 0 : training.train.runs[0].update; }

// As trained first, then as it is set now, then each switch by itself.
function next_to_count() {
  const all = [WHOLE, switches_now(), ...ALL_SWITCHES.map(switches_without)];
  return all.find((switches) => !count_of(switches).done);
}

// Goes on while the panel is shown and there is something to count.
async function count() {
  if (counting.going || !writer.whole) return;
  counting.going = true;
  try {
    for (let switches = next_to_count(); switches && may_count(); switches = next_to_count())
      await count_some(switches);
  } finally {
    counting.going = false;
  }
  draw_counts();
}
function may_count() {
  return state.panel === 'translate' && !Object.values(training).some((one) => one.going);
}

async function count_some(switches) {
  const one = count_of(switches), start = performance.now();
  const request = { do: 'broken', switches, first: one.of, count: counting.at_once };
  if (writer.model >= 0) request.id = writer.model;
  const update = model_update(), answer = await ask(request);
  if (answer.error) throw new Error(answer.error);
  if (update !== model_update()) return;  // it has learned meanwhile: another model
  const took = Math.max(1, engine.milliseconds);
  counting.at_once = Math.max(1, Math.min(50, Math.round(counting.at_once * MOMENT / took)));
  one.of += answer.of;
  one.wrong.push(...answer.wrong);
  Object.assign(one, { held_out: answer.held_out, done: one.of >= answer.held_out });
  if (!one.done && start - counting.drawn < 150) return;
  counting.drawn = start;
  draw_counts();
}

// The sentences that are right as trained, as far as they were counted, and wrong like this.
function broken_by(switches) {
  const whole = count_of(WHOLE), failed = new Set(whole.wrong.map((one) => one.number));
  return count_of(switches).wrong.filter((one) =>
    one.number < whole.of && !failed.has(one.number));
}

// ---- what is shown ------------------------------------------------------------------------------

function count_text(switches) {
  const one = count_of(switches), whole = count_of(WHOLE);
  if (one.done) return word('right_now', whole.of - whole.wrong.length, one.of - one.wrong.length);
  return one.of ? word('counted', one.of, one.held_out) : word('not_yet');
}

function draw_counts() {
  if (!writer.whole) return;
  const whole = count_of(WHOLE);
  byId('counts_name').textContent = whole.done ?
    word('right_whole', whole.of, whole.of - whole.wrong.length) :
    word('counting', whole.of, whole.held_out || '…');
  for (const row of byId('switches').querySelectorAll('[data-breaks]')) {
    const switches = switches_without(row.dataset.breaks), [number, button] = row.children;
    number.textContent = count_text(switches);
    number.title = word('right_hint');
    set_label(button, word('show_broken'));
    button.setAttribute('aria-label',
      word('named', switch_name(row.dataset.breaks), word('show_broken')));
    button.disabled = !broken_by(switches).length;
  }
  byId('count_now').textContent =
    is_broken() ? word('right_as_set', count_text(switches_now())) : '';
}

const next_broken = {};  // by switch: which sentence comes next
// Without this alone, a sentence that it breaks; another one each time.
function show_broken_sentence(name) {
  const broken = broken_by(switches_without(name));
  turn_all_on();
  turn(name, false);
  if (!broken.length) { translate(); return; }
  next_broken[name] = ((next_broken[name] ?? -1) + 1) % broken.length;
  write(broken[next_broken[name]].source);
}

// ---- a lecture ----------------------------------------------------------------------------------

// As trained, then without each part, with a sentence that it breaks once one is counted.
function go_to_scene(by) {
  const scenes = ['', ...ALL_SWITCHES], off = ALL_SWITCHES.filter(is_off);
  const now = !is_broken() ? 0 : scenes.indexOf(off[off.length - 1] || '');
  const name = scenes[Math.max(0, Math.min(scenes.length - 1, now + by))];
  if (name) { next_broken[name] = -1; show_broken_sentence(name); return; }
  turn_all_on();
  write(SENTENCES[0]);
}

function show_lecture() {
  document.documentElement.classList.toggle('lecture', state.lecture);
  byId('lecture').textContent = word('lecture');
  byId('lecture').setAttribute('aria-pressed', state.lecture);
}
