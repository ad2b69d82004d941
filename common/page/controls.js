// The controls, the keyboard shortcuts and the downloads. The script's entry point is at the end.

function change(some) {
  Object.assign(state, some);
  fit_state();
  draw();
}

// Only the selected cell has changed, so nothing large is redrawn.
function point(query, key) {
  if (state.query === query && state.key === key) return;
  Object.assign(state, { query, key });
  draw_cross();
  draw_places();
  draw_cell();
  if (view_now().next) draw_beam();
  write_link();
}

function draw() {
  show_language_and_theme();
  draw_texts();
  draw_grid();
  draw_picture();
  draw_cross();
  draw_places();
  draw_cell();
  draw_beam();
  write_link();
}

// What thin() has dropped from a long text, as a list.
function left_out() {
  return Object.entries(PAGE.left_out).filter(([, kept]) => kept)
    .map(([name, kept]) => word('left_' + name, kept)).join(word('listed'));
}

function draw_texts() {
  const view = view_now();
  byId('title').textContent = plain_title(PAGE.title);
  byId('sentence').replaceChildren(...PAGE.sentence.flatMap((part, i) =>
    [i ? '  →  ' : '', literal_text(part)]));
  if (is_early()) byId('sentence').append(tag('span', { class: 'soft' }, ' ' + word('early')));
  byId('left_out').textContent = PAGE.left_out ? word('left_out', left_out()) : '';
  byId('link').textContent = word('link');
  byId('help').setAttribute('aria-label', word('keys_title'));
  byId('heads_name').textContent = word('layers_heads');
  byId('places_name').textContent = word('queries');
  byId('head_name').textContent =
    word('named', view_name(view), word('at', layer_number(view, state.layer), state.head));
  const relative = view.kind === 'xl' && state.stage === 'raw' ? '_xl' : '';
  const note = word(state.stage + relative + '_note', short(view.scale));
  byId('stage_note').textContent =
    state.layout === 'distance' ? `${note} ${word('distance_note')}` : note;
  choices('views', PAGE.views.map(view_name), state.view, (view) => change({ view, query: -1, key: -1 }));
  const stages = stages_of(view);
  choices('stages', stages.map((name) => word(name)), stages.indexOf(state.stage),
    (i) => change({ stage: stages[i] }));
  const layouts = view.kind === 'cross' ? [] : ['matrix', 'distance'];
  choices('layouts', layouts.map((name) => word(name)), layouts.indexOf(state.layout),
    (i) => change({ layout: layouts[i] }));
  choices('scales', [word('scale_fixed'), word('scale_head')], state.scale === 'head' ? 1 : 0,
    (i) => change({ scale: i ? 'head' : 'fixed' }));
  slider('checkpoint', PAGE.checkpoints.length, state.checkpoint, PAGE.checkpoints[state.checkpoint]);
  const steps = steps_of(view);
  slider('step', steps && steps + 1, state.step < 0 ? steps : state.step,
    state.step < 0 ? word('all_steps') : `${state.step} / ${steps - 1}`);
}

// Titles and sentences keep their spaces; invisible characters in them are shown as symbols.
function literal_text(text) {
  const whole = document.createElement('bdi');
  text.split(' ').forEach((part, i) => whole.append(i ? ' ' : '', literal(part)));
  return whole;
}
function plain_title(text) { return text.split(' ').map(plain).join(' '); }

function view_name(view) {
  if (view.name) return plain_title(view.name);
  const alike = PAGE.views.filter((one) => one.kind === view.kind);
  return alike.length < 2 ? word(view.kind) : word('segment', alike.indexOf(view) + 1);
}

// A group of buttons, one of them selected; with more than six, a drop-down list.
function choices(name, labels, chosen, choose) {
  const group = byId(name);
  group.setAttribute('aria-label', word({ views: 'view', stages: 'stage', layouts: 'picture',
    scales: 'colours' }[name]));
  group.hidden = labels.length < 2;
  if (labels.length > 6) {
    const list = tag('select', {}, ...labels.map((label, i) => tag('option', { value: i }, label)));
    list.value = chosen;
    list.addEventListener('change', () => choose(Number(list.value)));
    replace_in(group, list);
    return;
  }
  replace_in(group, ...labels.map((label, i) => {
    const button = tag('button', { type: 'button', 'aria-pressed': i === chosen }, label);
    button.addEventListener('click', () => choose(i));
    return button;
  }));
}

function slider(name, count, value, text) {
  const [label, input, output] = byId(name).children;
  byId(name).hidden = count < 2;
  label.textContent = word(name);
  input.max = count - 1;
  input.value = value;
  output.textContent = text;
}

// ---- files ---------------------------------------------------------------------------------------

// The picture as a standalone file, with a title and the font's name.
function svg_file() {
  const copy = byId('picture').cloneNode(true);
  for (const name of ['id', 'tabindex', 'role']) copy.removeAttribute(name);
  copy.setAttribute('xmlns', SVG);
  copy.setAttribute('font-family', 'sans-serif');
  copy.prepend(shape('title', {}, `${PAGE.title}: ${byId('head_name').textContent}`));
  return new XMLSerializer().serializeToString(copy);
}

// Resolves to the bytes of a PNG at twice the screen resolution.
function png_file() {
  return new Promise((resolve, reject) => {
    const picture = byId('picture'), image = new Image(), canvas = document.createElement('canvas');
    canvas.width = 2 * picture.getAttribute('width');
    canvas.height = 2 * picture.getAttribute('height');
    image.onload = () => {
      canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(resolve, 'image/png');
    };
    image.onerror = reject;
    image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(svg_file());
  });
}

function save(blob, kind) {
  const address = URL.createObjectURL(blob);
  const view = view_now(), name = `attention_${view.kind}_${layer_number(view, state.layer)}_${state.head}.${kind}`;
  tag('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

async function copy_link() {
  history.replaceState(null, '', link_of());
  try { await navigator.clipboard.writeText(location.href); } catch { return; }
  byId('link').textContent = word('copied');
}

function show_keys() {
  const close = tag('button', { type: 'button' }, word('close'));
  close.addEventListener('click', () => byId('keys').close());
  byId('keys').replaceChildren(tag('h2', {}, word('keys_title')), tag('table', {},
    ...WORDS[state.lang].keys.map(([keys, meaning]) => tag('tr', {},
      tag('td', {}, tag('kbd', {}, keys)), tag('td', {}, meaning)))), close);
  byId('keys').showModal();
}

// ---- keys ----------------------------------------------------------------------------------------

function next_step(by) {
  const steps = steps_of(view_now()), now = state.step < 0 ? steps : state.step;
  const next = Math.max(0, Math.min(steps, now + by));
  change({ step: next === steps ? -1 : next });
}

const LETTERS = {
  '[': () => next_step(-1), ']': () => next_step(1),
  '{': () => change({ checkpoint: state.checkpoint - 1 }),
  '}': () => change({ checkpoint: state.checkpoint + 1 }),
  v: () => change({ view: (state.view + 1) % PAGE.views.length, query: -1, key: -1 }),
  d: () => change({ layout: state.layout === 'matrix' ? 'distance' : 'matrix' }),
  c: () => change({ scale: state.scale === 'head' ? 'fixed' : 'head' }),
  l: () => change({ lang: next_language() }),
  t: () => change({ theme: next_theme() }),
  '?': show_keys,
  Escape: () => point(-1, -1),
};

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId('keys').open) return;
  const at = document.activeElement, arrow = ARROWS[event.key];
  if (arrow && at.closest && at.closest('#heads, #picture')) move(event, arrow);
  else if (at.tagName === 'INPUT' || at.tagName === 'SELECT') return;
  else if (LETTERS[event.key]) LETTERS[event.key]();
  else if (STAGES[event.key - 1] && stages_of(view_now()).includes(STAGES[event.key - 1]))
    change({ stage: STAGES[event.key - 1] });
}

function begin() {
  read_link();
  byId('language').addEventListener('click', LETTERS.l);
  byId('theme').addEventListener('click', LETTERS.t);
  byId('svg').addEventListener('click', () => save(new Blob([svg_file()], { type: 'image/svg+xml' }), 'svg'));
  byId('png').addEventListener('click', async () => save(await png_file(), 'png'));
  byId('link').addEventListener('click', copy_link);
  byId('help').addEventListener('click', show_keys);
  byId('checkpoint').children[1].addEventListener('input', (event) =>
    change({ checkpoint: Number(event.target.value) }));
  byId('step').children[1].addEventListener('input', (event) => {
    const step = Number(event.target.value);
    change({ step: step === steps_of(view_now()) ? -1 : step });
  });
  listen_to_pointing();
  addEventListener('keydown', pressed);
  addEventListener('hashchange', () => { read_link(); draw(); });
  addEventListener('resize', draw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  draw();
}

begin();
