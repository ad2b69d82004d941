// User actions in the panel Translate: suggested words, switches, heads, cells.

// ---- words to go on with ------------------------------------------------------------------------

function complete_words() { return state.text.replace(/\S+$/, '').trim(); }

async function find_following() {
  const before = complete_words();
  if (loaded && writer.following_of !== before) {
    const { next } = knows_the_language() ? await ask({ do: 'vocabulary', after: before }) :
      { next: [] };
    Object.assign(writer, { following: next, following_of: before });
  }
  draw_offered();
}

// The words that fit here: first those that may follow, then all others with the same beginning.
function offered_words() {
  const begun = state.text.match(/\S*$/)[0];
  const fits = (one) => one.startsWith(begun) && one !== begun;
  const next = writer.following.filter(fits);
  const others = (one) => fits(one) && !next.includes(one);
  const rest = begun || !next.length ? writer.words.filter(others) : [];
  return [...next, ...rest].slice(0, OFFERED);
}

// Until the next words are known, the previous suggestions stay in place.
function draw_offered() {
  if (writer.following_of !== complete_words()) return;
  replace_in(byId('offered'), ...offered_words().map((one) =>
    button_for(literal(one), () => take_word(one))));
}

function take_word(one) {
  write(state.text.replace(/\S*$/, '') + one + ' ');
  byId('sentence').focus();
}

// Sets the sentence to this text.
function write(text) {
  state.text = text;
  if (byId('sentence').value !== text) byId('sentence').value = text;
  write_link();
  translate();
  find_following();
}

function draw_examples() {
  replace_in(byId('examples'), tag('span', { class: 'soft' }, word('named', word('examples'), '')),
    ...examples_now().map((one) => button_for(literal_line(one), () => write(one))));
}

// ---- switches -----------------------------------------------------------------------------------

function build_switches() {
  byId('switches').querySelector('.boxes').replaceChildren(...ALL_SWITCHES.flatMap((name) => {
    const box = tag('input', { type: 'checkbox', 'data-switch': name });
    box.addEventListener('change', () => {
      turn(name, box.checked);
      if (!box.checked) look_where_it_breaks();
      translate();
    });
    return [tag('label', { class: 'row' }, box, tag('span')),
      tag('div', { class: 'row', 'data-breaks': name }, tag('span', { class: 'number' }),
        button_for('', () => show_broken_sentence(name), { disabled: '' }))];
  }));
}

function switch_name(name) { return word(name === 'positions' ? 'positions_switch' : name); }

function draw_switches() {
  for (const box of byId('switches').querySelectorAll('[data-switch]')) {
    box.checked = !is_off(box.dataset.switch);
    box.disabled = is_missing(box.dataset.switch);
    box.nextSibling.textContent = switch_name(box.dataset.switch);
  }
  draw_counts();
  const chip = (name) => {
    const [kind, layer, head] = name.split(' ');
    return button_for(word('named', `${word(kind)} ${layer}·${head}`, word('head_is_off') + ' ×'),
      () => switch_head(name));
  };
  const most = state.lecture ? 2 : HEADS_NAMED;
  const shown_heads = writer.heads_off.size > most ? [] : [...writer.heads_off];
  replace_in(byId('heads_off'), ...shown_heads.map(chip),
    ...(is_broken() ? [button_for(word('all_on'), all_on, { id: 'all_on' })] : []),
    ...(writer.heads_off.size ? [button_for(word('show_broken'), show_broken_as_set,
      { id: 'broken_as_set', ...(broken_by(switches_now()).length ? {} : { disabled: '' }) })] : []));
  draw_look_lines();
}

function all_on() {
  turn_all_on();
  byId('switches').querySelector('input').focus();
  translate();
}

function switch_head(name) {
  if (!writer.heads_off.delete(name)) writer.heads_off.add(name);
  translate();
}

// ---- the picture --------------------------------------------------------------------------------

// A view without a mask has no masked stage.
function keep_stage() {
  if (!stages_of(view_now()).includes(state.stage)) state.stage = 'scaled';
}

// Also called by the grid of heads (common/page/picture.js).
function change(some) {
  Object.assign(state, some);
  const view = view_now();
  if (!view) return;
  state.layer = within(state.layer, view.layers - 1);
  state.head = within(state.head, view.heads - 1);
  keep_stage();
  draw_attention();
  write_link();
}

function point(query, key) {
  if (state.query === query && state.key === key) return;
  Object.assign(state, { query, key });
  draw_cross();
  draw_places();
  draw_cell();
  draw_chain();
  draw_together_cell();
  write_link();
}

function draw_translate() {
  draw_examples();
  draw_models();
  draw_writer();
}

// ---- which model --------------------------------------------------------------------------------

function draw_models() {
  const list = byId('model_choice'), [run] = training.train ? training.train.runs : [{ id: -1 }];
  const option = (value, name) => (value < -1 ? [] : [tag('option', { value }, name)]);
  const others = [...(run.id < 0 ? [] : option(run.id, word('own', run.update))),
    ...(brought.id < 0 ? [] : option(brought.id, plain(brought.name)))];
  list.hidden = !others.length;
  list.replaceChildren(...option(-1, PAGE.own_model ? plain(PAGE.own_model) : word('shipped')), ...others);
  if (list.hidden) writer.model = -1;
  list.value = writer.model;
  draw_brought();
}

function use_model(id) {
  writer.model = id;
  writer.comparing = false;
  writer.heads_off.clear();  // another model has other heads
  draw_models();
  take_words();
  draw_examples();
  translate();
}

function begin_translate() {
  build_switches();
  begin_brought();
  byId('sentence').addEventListener('input', (event) => write(event.target.value));
  byId('sentence_form').addEventListener('submit', (event) => {
    event.preventDefault();
    translate(state.text);
  });
  byId('sentence').addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' || !byId('offered').firstChild) return;
    event.preventDefault();
    byId('offered').firstChild.focus();
  });
  byId('head_on').addEventListener('change', () => switch_head(head_name()));
  byId('compare').addEventListener('change', (event) => compare(event.target.checked));
  byId('model_choice').addEventListener('change', (event) => use_model(Number(event.target.value)));
  byId('play').addEventListener('click', () => {
    if (writer.playing) { pause(); draw_play(); } else { play(); draw_writer(); }
  });
  byId('step').children[1].addEventListener('input', (event) => {
    const step = Number(event.target.value);
    pause();
    go_to_step(step === writer.answer.target.length ? -1 : step);
    draw_play();
  });
  listen_to_pointing();
}
