// The state of the page. The URL fragment stores all of it: panel, language, theme, sentence,
// switches, the selected head and cell.

// The page's own words beside the explorer's (common/page/words.js): in English and in Chinese.
for (const [name, [en, zh]] of Object.entries(PAGE.words)) {
  WORDS.en[name] = en;
  WORDS.zh[name] = zh;
}

// In the order of the lecture.
const PANELS = ['hand', 'flow', 'translate', 'root', 'without', 'neighbours', 'positions', 'norm',
  'recall', 'train'];
const CHAPTERS = { hand: '02_attention', flow: '00_foundations', translate: '07_transformer', positions: '01_embedding',
  root: '02_attention', without: '06_decoder', neighbours: '02_attention', norm: '03_layer_norm',
  recall: '08_transformer_xl', train: '07_transformer' };

// For external links: in the same tab, they would discard what was trained here.
const NEW_TAB = { target: '_blank', rel: 'noopener' };
Object.assign(PAGE, { views: [], checkpoints: [''] });  // in the format of the explorer's pages
// The default decoding (choosing.js): always the likeliest word.
const LIKELIEST = { beam: 1, temperature: 1, top_k: 0, top_p: 1, seed: -1 };
const state = {
  panel: 'hand', theme: 'auto', text: '',
  lang: system_language(),
  // The picture of attention, as in the explorer; the default is cross-attention of the last layer.
  view: 2, layer: 1, head: 0, checkpoint: 0, stage: 'softmax', layout: 'matrix', scale: 'fixed',
  step: -1, query: -1, key: -1, lines: '',
  ...LIKELIEST,
  lecture: false,
  tour: false,      // the same parts with questions (tour.js)
  together: false,  // all heads of the layer, instead of one
  scene: '',        // current part of the lecture (scenes.js)
  power: 6,         // d_k = 2^power in the root panel
};
const STAGES = ['raw', 'scaled', 'masked', 'softmax', 'weighted'];
const FIRST = { ...state };
const NUMBERS = { view: 2, layer: 1, head: 0, step: -1, query: -1, key: -1, power: 6 };  // not said

function view_now() { return PAGE.views[state.view]; }
// A single sentence has no padding, so only the decoder's causal mask hides anything.
function stages_of(view) {
  return STAGES.filter((stage) => stage !== 'masked' || view.kind === 'decoder');
}

function read_link() {
  const said = new URLSearchParams(location.hash.slice(1));
  if (PANELS.includes(said.get('panel'))) state.panel = said.get('panel');
  if (own(WORDS, said.get('lang'))) state.lang = said.get('lang');
  if (THEMES.includes(said.get('theme'))) state.theme = said.get('theme');
  read_scene(said);
  if (said.has('text')) state.text = said.get('text');
  for (const name of ['lecture', 'tour', 'together']) state[name] = said.get(name) === '1';
  if (Object.hasOwn(PAGE.code, said.get('part'))) flow.part = said.get('part');
  state.stage = STAGES.includes(said.get('stage')) ? said.get('stage') : 'softmax';
  for (const [name, first] of Object.entries(NUMBERS))
    state[name] = said.has(name) ? Math.max(-1, Math.floor(Number(said.get(name))) || 0) : first;
  state.lines = heads_named(said.get('lines') || '');
  read_choosing(said);
  read_hand(said);
  state.view = within(state.view, KINDS.length - 1);
  const list = (name) => (said.get(name) || '').split(',').filter(Boolean);
  writer.off = new Set(list('off').filter((name) => SWITCHES.includes(name)));
  writer.heads_off = new Set(list('heads_off').map((name) => name.replaceAll('.', ' '))
    .filter((name) => /^\w+ \d{1,2} \d{1,2}$/.test(name) && KINDS.includes(name.split(' ')[0])));
}

let linking = 0;
function write_link() {
  clearTimeout(linking);
  linking = setTimeout(() => {
    const named = { panel: state.panel, lang: state.lang };
    if (state.theme !== 'auto') named.theme = state.theme;
    if (state.text) named.text = state.text;
    for (const name of ['lecture', 'tour', 'together']) if (state[name]) named[name] = 1;
    if (state.lecture || state.tour) named.scene = scene_now();
    if (state.panel === 'flow') named.part = flow.part;
    if (state.stage !== 'softmax') named.stage = state.stage;
    for (const [name, first] of Object.entries(NUMBERS))
      if (state[name] !== first && !(name === 'step' && writer.playing)) named[name] = state[name];
    for (const name of ['lines', ...CHOOSING, 'seed'])
      if (state[name] !== FIRST[name]) named[name] = state[name];
    Object.assign(named, hand_in_link(), trained_settings());
    if (state.panel === 'without') named.without = part_left_out();
    if (writer.off.size) named.off = [...writer.off].join();
    if (writer.heads_off.size)
      named.heads_off = [...writer.heads_off].map((name) => name.replaceAll(' ', '.')).join();
    history.replaceState(null, '', '#' + new URLSearchParams(named));
  }, 120);
}

// A number with a fixed number of digits, as in the texts.
function rounded(value, digits = 1) { return value.toFixed(digits); }
function percent(share) { return `${rounded(100 * share)}%`; }

function within(value, last) { return Math.max(0, Math.min(last, value)); }

function set_all(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}

// The sign of a line or a training in its colour.
function swatch(colour) { return tag('i', { style: `background: var(${colour})` }); }

// A button with one action.
function button_for(label, action, attributes = {}) {
  const button = tag('button', { type: 'button', ...attributes }, label);
  button.addEventListener('click', action);
  return button;
}

// A link to a page of the site; plain text if this page was passed on without the site.
function site_way(address, text) {
  return PAGE.site ? tag('a', { ...NEW_TAB, href: `${PAGE.site}/${address}` }, text) :
    tag('span', { class: 'soft' }, text);
}

// What separates two sentences.
function gap() { return state.lang === 'zh' ? '' : ' '; }

// The panels of page.html, and empty ones for trainings, which fill them.
function build_panels() {
  for (const name of PANELS) {
    if (!byId(name)) document.querySelector('main').append(tag('div', { id: name, hidden: '' }));
    set_all(byId(name), { class: 'panel', role: 'tabpanel', tabindex: -1, 'data-label': name });
    byId(name).prepend(tag('div', { class: 'about' }));
  }
}

// The title of a panel, two sentences on what to look for, the link to its chapter; without SIMD,
// the pictures of the chapter.
function draw_about(panel) {
  const part = panel === 'without' ? part_left_out() : '';
  const address = part ? SECTIONS[part][state.lang] : `${CHAPTERS[panel]}.html`;
  const chapter = site_way(`${state.lang}/${address}`, word('chapter', parseInt(address)));
  byId(panel).querySelector('.about').replaceChildren(
    tag('h2', {}, word(panel)), tag('p', {}, word(panel + '_about'), gap(),
      ...(part ? [word(part + '_about'), gap()] : []), chapter,
      ...(panel === 'hand' && engine.worker && !state.tour ? [gap(), tour_way()] : [])));
}

function draw_stills() {
  for (const panel of PANELS) {
    const about = byId(panel).querySelector('.about');
    for (const still of PAGE.stills[panel])
      about.append(tag('img', { class: 'still', alt: word(panel),
        src: 'data:image/svg+xml;base64,' + (still[state.lang] || still.en) }));
    for (const part of byId(panel).children) if (part !== about) part.hidden = true;
  }
}
