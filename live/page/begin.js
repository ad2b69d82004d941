// The panels, the keys, the language and the theme; the script's entry point is at the end.

function show_panel(panel) {
  state.panel = panel;
  for (const one of PANELS) byId(one).hidden = one !== panel;
  draw();
  write_link();
  count();
}

// Redraws all text and the panel that is shown.
function draw() {
  show_language_and_theme();
  show_lecture();
  document.title = word('page');
  draw_words();
  draw_tabs();
  draw_scenes();
  PANELS.forEach(draw_about);
  draw_state();
  if (!engine.worker) { show_broken(null); draw_stills(); return; }
  if (writer.answer) draw_play();
  const panels = { hand: draw_hand, flow: draw_flow, translate: draw_translate,
    positions: draw_positions, root: draw_root };
  if (own(panels, state.panel)) panels[state.panel]();
  else draw_training(training[state.panel]);
}

// The texts that never vary, where the page or a training names them.
function draw_words() {
  for (const one of document.querySelectorAll('[data-word]'))
    set_label(one, word(one.dataset.word));
  for (const one of document.querySelectorAll('[data-label]'))
    one.setAttribute('aria-label', word(one.dataset.label));
}

function draw_tabs() {
  const focused = document.activeElement && document.activeElement.closest('#panels');
  // A question per tab; in a lecture the list of parts needs the room, so only the name.
  const name = (panel) => word(state.lecture ? panel : `${panel}_asks_tab`);
  byId('panels').replaceChildren(...PANELS.map((panel) => button_for(name(panel),
    () => { show_panel(panel); byId('panels').querySelector('[tabindex="0"]').focus(); },
    { role: 'tab', title: word(panel), 'aria-selected': panel === state.panel, 'aria-controls': panel,
      tabindex: panel === state.panel ? 0 : -1 })));
  const row = byId('panels'), chosen = row.querySelector('[tabindex="0"]');
  row.scrollLeft = chosen.offsetLeft + chosen.offsetWidth + 12 - row.clientWidth;  // on a telephone
  if (focused) chosen.focus();
}

let loaded = null;  // { parameters, most, seconds } of the built-in model
function draw_state() {
  byId('state').classList.toggle('ready', !!loaded);
  byId('state').textContent = !engine.worker ? '' : word('page_title', loaded ?
    word('ready', loaded.parameters.toLocaleString('en'), rounded(loaded.seconds)) :
    word('starting'));
}

// Shows what is wrong with the engine; null means that this browser cannot run it.
function show_broken(message) {
  byId('broken').hidden = false;
  byId('broken').textContent = message === null ? word('no_simd') : word('broken', message);
}

function show_keys() {
  byId('keys').replaceChildren(tag('h2', {}, word('keys_title')), tag('table', {},
    ...WORDS[state.lang].panel_keys.map(([keys, meaning]) => tag('tr', {},
      tag('td', {}, tag('kbd', {}, keys)), tag('td', {}, meaning)))),
  button_for(word('close'), () => byId('keys').close()));
  byId('keys').showModal();
}

const LETTERS = {
  l: () => { state.lang = next_language(); draw(); write_link(); },
  t: () => { state.theme = next_theme(); draw(); write_link(); },
  p: () => { state.lecture = !state.lecture; draw(); write_link(); },
  '?': show_keys,
};
const WRITING_LETTERS = {
  '[': () => step_by(-1), ']': () => step_by(1),
  v: () => change({ view: (state.view + 1) % KINDS.length, query: -1, key: -1 }),
  o: () => switch_head(head_name()),
  c: () => compare(!writer.comparing),
  h: () => change({ together: !state.together }),
  Escape: () => point(-1, -1),
};

// Works in a lecture's sentence field, too, where letters are typed; Escape leaves the field.
function pressed_in_lecture(event) {
  const at = document.activeElement;
  if (event.key === 'Escape' && at.matches('input[type=text]')) at.blur();
  else if (event.key === 'Escape' && state.panel === 'without') forget_taught_cell();
  else if (state.lecture && writer.answer && /^Page(Up|Down)$/.test(event.key))
    walk(event.key === 'PageDown' ? 1 : -1);
  else return false;
  event.preventDefault();
  return true;
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId('keys').open) return;
  if (pressed_in_lecture(event)) return;
  const at = document.activeElement, arrow = ARROWS[event.key];
  if (arrow && at.closest('#panels')) {
    const next = PANELS.indexOf(state.panel) + arrow[0] + arrow[1];
    show_panel(PANELS[(next + PANELS.length) % PANELS.length]);
    event.preventDefault();
  } else if (arrow && at.closest('#heads, #picture, #together svg')) move(event, arrow);
  else if (arrow && at.matches('.words button')) {
    const buttons = [...at.parentElement.querySelectorAll('button')];
    const next = buttons[buttons.indexOf(at) + arrow[0] + arrow[1]];
    if (next) next.focus();
    event.preventDefault();
  } else if (at.matches('input:not([type=checkbox]):not([type=range]), select')) return;
  else if (LETTERS[event.key]) LETTERS[event.key]();
  else if (state.panel === 'flow' && writer.answer && '[]'.includes(event.key)) {
    if (stop_now()) end_journey();
    WRITING_LETTERS[event.key]();
  } else if (state.panel === 'flow' && writer.answer && ',.'.includes(event.key))
    step_journey(event.key === '.' ? 1 : -1);
  else if (state.panel !== 'translate' || !writer.answer) return;
  else if (STAGES[event.key - 1]) change({ stage: STAGES[event.key - 1] });
  else if (WRITING_LETTERS[event.key]) WRITING_LETTERS[event.key]();
}

// Loads the model, translates the first sentence, then gets what is needed next: suggested words.
async function start() {
  start_engine();
  const about = await ask(byId('model').textContent);
  if (about.error) { show_broken(about.error); return; }
  loaded = { parameters: about.parameters, most: about.maximum_length, heads: about.heads,
    d_model: about.d_model, seconds: performance.now() / 1000 };
  draw_state();
  find_by_hand();
  if (!state.text) state.text = SENTENCES[0];
  if (linked_scene && panel_of(linked_scene) === 'translate')
    writer.whole = await asked(state.text, {});  // its maps tell which heads there are
  else {
    byId('sentence').value = state.text;
    await translate_linked(state.text);
  }
  if (linked_scene) go_to_scene(linked_scene);
  draw_scenes();
  find_positions();
  find_saturation();
  const vocabulary = await ask({ do: 'vocabulary' });
  loaded.words = vocabulary;
  take_words();
  draw_examples();
  if (folded(state.text) !== state.text) translate();
  else draw_writer();  // words similar to an unknown one, and the columns of the logits
  find_following();
  count();
  await restore_translator();
  if (training[state.panel]) draw_training(training[state.panel]);  // what it would train
}

// Restores the linked view, down to the selected cell.
async function translate_linked(text) {
  const { step, query, key } = state;
  if (step >= 0 || query >= 0 || key >= 0) writer.linked = { step, query, key };
  write_link();
  await translate(text);
}

function follow_link() {
  read_link();
  read_trained();
  read_without();
  show_panel(state.panel);
  if (!loaded || !state.text) return;
  find_by_hand();
  if (linked_scene) { go_to_scene(linked_scene); return; }
  byId('sentence').value = state.text;
  translate_linked(asked_text());
}

function begin() {
  build_panels();
  read_link();
  begin_hand();
  begin_flow();
  begin_translate();
  begin_choosing();
  begin_positions();
  begin_root();
  begin_norm();
  begin_recall();
  begin_train();
  begin_without();
  begin_neighbours();
  begin_scenes();
  begin_tour();
  read_trained();
  read_without();
  byId('language').addEventListener('click', LETTERS.l);
  byId('theme').addEventListener('click', LETTERS.t);
  byId('lecture').addEventListener('click', LETTERS.p);
  byId('help').addEventListener('click', show_keys);
  addEventListener('keydown', pressed);
  addEventListener('hashchange', follow_link);
  addEventListener('resize', draw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  addEventListener('unhandledrejection', (event) => {
    event.preventDefault();
    show_broken(event.reason.message);
  });
  if (has_simd()) start();
  // Text drawn before the page's own font has loaded would keep its empty boxes.
  document.fonts.load('16px "Noto Sans CJK SC"', '字').finally(() => show_panel(state.panel));
}

begin();
