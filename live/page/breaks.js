// What a switch breaks: the engine translates all held-out sentences, in small requests so that it
// can answer the page's other requests in between.

const MOMENT = 40;     // target duration of one request in milliseconds
const WHOLE = { heads_off: [] };
// Sentences that each switch breaks in the built-in model, for use before the count is done; all of
// them are among the held-out sentences.
const BREAKS = {
  scale: ['your cheap ticket is too old', 'this cow is very small'],
  mask: ['David and Anna have eight big coats and an old computer'],
  positions: ['is that concert interesting', 'Mary and David like flowers'],
  residual: ['I like the 2022 Beijing Winter Games', 'is that concert interesting'],
  cross_heads: ['is that concert interesting', 'I like the 2022 Beijing Winter Games'],
  other_heads: ['when did he repair that red umbrella', 'is that concert interesting'],
};
const counts = new Map();  // keyed by model and switches: { of, held_out, wrong, done }
const counting = { going: false, at_once: 8, drawn: 0 };

// ---- groups of heads ----------------------------------------------------------------------------

// Switches that turn off many heads at once.
const GROUPS = {
  cross_heads: (kind) => kind === 'cross',
  other_heads: (kind, layer, head) => head > 0,
};

// The heads of a group, such as "cross 1 2", in the current model.
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
  return !is_missing(name) && heads_of(name).every((head) => writer.heads_off.has(head));
}

// A group may be empty: a model with one head has no others.
function is_missing(name) {
  return !!GROUPS[name] && (!writer.whole || !heads_of(name).length);
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
  writer.comparing = false;
  writer.off.clear();
  writer.heads_off.clear();
}

// The switches of a request, in a fixed order, whatever was switched first.
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
function model_update() { return is_trained_here() ? training.train.runs[0].update : 0; }

// First what the user waits for, then all as trained, as set now, and each switch alone.
function next_to_count() {
  const all = [WHOLE, switches_now(), ...ALL_SWITCHES.map(switches_without)];
  if (wanted.name) {  // as far as the count of the other one
    const switches = switches_without(wanted.name);
    const further = count_of(switches).of > count_of(WHOLE).of ? WHOLE : switches;
    if (!count_of(further).done) return further;
  }
  return all.find((switches) => !count_of(switches).done);
}

// Counts for as long as the panel is shown and something is left to count.
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
  const is_learning = is_trained_here() && training.train.going;  // its weights are about to change
  return state.panel === 'translate' && !is_learning && knows_the_language();
}

async function count_some(switches) {
  const one = count_of(switches), start = performance.now();
  const update = model_update(), { model } = writer;
  const answer = await ask_model({ do: 'broken', switches, first: one.of, count: counting.at_once });
  if (model !== writer.model || update !== model_update()) return;  // the model has changed
  if (answer.error) throw new Error(answer.error);
  const took = Math.max(1, answer.took);
  counting.at_once = Math.max(1, Math.min(50, Math.round(counting.at_once * MOMENT / took)));
  one.of += answer.of;
  one.wrong.push(...answer.wrong);
  Object.assign(one, { held_out: answer.held_out, done: one.of >= answer.held_out });
  show_wanted();
  if (!one.done && start - counting.drawn < 150) return;
  counting.drawn = start;
  draw_counts();
}

// The sentences counted so far that are right as trained and wrong with these switches.
function broken_by(switches) {
  const whole = count_of(WHOLE), failed = new Set(whole.wrong.map((one) => one.number));
  return count_of(switches).wrong.filter((one) =>
    one.number < whole.of && !failed.has(one.number)).map((one) => one.source);
}

// The sentences known to break without this part; for the built-in model some are known at once.
function known_broken(name) {
  const first = writer.model < 0 && !PAGE.own_model ? BREAKS[name] : [];
  return [...new Set([...first, ...broken_by(switches_without(name))])];
}

// ---- what is shown ------------------------------------------------------------------------------

function count_text(switches) {
  const one = count_of(switches), whole = count_of(WHOLE);
  if (one.done && whole.done)
    return word('right_now', whole.of - whole.wrong.length, one.of - one.wrong.length);
  return one.of ? word('counted', counted_part(one)) : word('not_yet');
}
function counted_part({ of, held_out }) { return held_out ? Math.floor(100 * of / held_out) : 0; }

function draw_counts() {
  if (!writer.whole) return;
  const whole = count_of(WHOLE), may_be = knows_the_language();
  byId('counts_name').textContent = !may_be ? word('not_counted') : whole.done ?
    word('right_whole', whole.of, whole.of - whole.wrong.length) :
    word('counting', counted_part(whole));
  for (const row of byId('switches').querySelectorAll('[data-breaks]')) {
    const switches = switches_without(row.dataset.breaks), [number, button] = row.children;
    const missing = is_missing(row.dataset.breaks);
    number.textContent = missing ? word('no_others') : count_text(switches);
    number.title = word('right_hint');
    set_label(button, word('show_broken'));
    button.title = word('show_broken');
    button.setAttribute('aria-label',
      word('named', switch_name(row.dataset.breaks), word('show_broken')));
    button.disabled = missing || !may_be ||
      is_counted(switches) && !known_broken(row.dataset.breaks).length;
  }
  if (byId('broken_as_set')) byId('broken_as_set').disabled = !broken_by(switches_now()).length;
  const now = count_of(switches_now());
  byId('count_now').textContent = wanted.name ? word('looking_for', switch_name(wanted.name)) :
    !is_broken() || !may_be ? '' : is_counted(switches_now()) ?
      word('right_as_set', count_text(switches_now())) +
      (state.seed < 0 ? '' : word('right_likeliest')) :
      word('counting_as_set', counted_part(now));
}
function is_counted(switches) { return count_of(switches).done && count_of(WHOLE).done; }

const next_broken = {};  // by switch: index of the next sentence
const wanted = { name: '' };  // the switch that waits for a sentence
// Turns off this part alone and shows a sentence that it breaks, another one each time. If none is
// known yet, the first one found by counting is shown.
function show_broken_sentence(name) {
  const broken = known_broken(name);
  turn_all_on();
  turn(name, false);
  wanted.name = broken.length || is_counted(switches_without(name)) || !knows_the_language() ? '' :
    name;
  if (!broken.length) { look_where_it_breaks(); translate(); return; }
  next_broken[name] = ((next_broken[name] ?? -1) + 1) % broken.length;
  look_where_it_breaks();
  write(broken[next_broken[name]]);
}

// Shows a sentence that the current switches break, another one each time.
function show_broken_as_set() {
  const broken = broken_by(switches_now());
  const at = broken.indexOf(state.text);
  write(broken[(at + 1) % broken.length]);
}

// Shows the sentence once it is found, unless other switches were changed meanwhile.
function show_wanted() {
  const { name } = wanted;
  if (!name) return;
  const same = is_off(name) &&
    JSON.stringify(switches_now()) === JSON.stringify(switches_without(name));
  if (!same) wanted.name = '';
  else if (known_broken(name).length || is_counted(switches_without(name)))
    show_broken_sentence(name);
}
