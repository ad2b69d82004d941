// What is shown, all of it in the address after #, so that a link restores the view.

const STAGES = ['raw', 'scaled', 'masked', 'softmax', 'weighted'];
const state = {
  view: PAGE.views[0].kind === 'xl' ? PAGE.views.length - 1 : 0,  // the last segment has a past
  layer: 0, head: 0, checkpoint: PAGE.checkpoints.length - 1, stage: 'softmax',
  layout: 'matrix', step: -1,  // -1: all steps
  // Among many keys no weight is near 1: on one scale the map would be black.
  scale: PAGE.views.some((view) => view.keys.length > 24) ? 'head' : 'fixed',
  query: -1, key: -1,  // -1: none
  lines: '',           // heads whose lines are drawn together, "0.2"; none: the chosen one
  lang: system_language(), theme: 'auto',
};
const FIRST = { ...state };  // what a link need not say

function view_now() { return PAGE.views[state.view]; }
// A checkpoint before the last: the translation and its search are those of the last one.
function is_early() { return state.checkpoint < PAGE.checkpoints.length - 1; }
// Layer and head of a view that has fewer than the one before; a query that it does not have.
function fit_state() {
  const whole = (name, last) => {
    state[name] = Math.max(FIRST[name] < 0 ? -1 : 0, Math.min(last, Math.round(state[name]) || 0));
  };
  whole('view', PAGE.views.length - 1);
  const view = view_now(), stages = stages_of(view);
  whole('layer', view.layers - 1);
  whole('head', view.heads - 1);
  whole('checkpoint', PAGE.checkpoints.length - 1);
  whole('query', view.queries.length - 1);
  whole('key', view.keys.length - 1);
  whole('step', steps_of(view) - 1);
  if (!stages.includes(state.stage)) state.stage = 'softmax';
  if (view.kind === 'cross' || state.layout !== 'distance') state.layout = 'matrix';
  if (!['fixed', 'head'].includes(state.scale)) state.scale = 'fixed';
  state.lines = heads_named(state.lines);
  if (!own(WORDS, state.lang)) state.lang = 'en';
  if (!THEMES.includes(state.theme)) state.theme = 'auto';
}

// Without scores there is nothing before the softmax, without lengths nothing after it.
function stages_of(view) {
  const one = view.checkpoints[0][0];
  return STAGES.filter((stage) => stage === 'softmax' ||
    (stage === 'weighted' ? one.lengths : one.scores));
}

// A decoder takes a step for each of its rows.
function steps_of(view) {
  const decoder = PAGE.views.find((one) => one.kind === 'decoder');
  return decoder ? decoder.queries.length : view.kind === 'xl' ? view.queries.length : 0;
}

function link_of() {
  return '#' + Object.keys(FIRST).filter((name) => state[name] !== FIRST[name] || name === 'lang')
    .map((name) => `${name}=${encodeURIComponent(state[name])}`).join('&');
}

function read_link() {
  const said = new URLSearchParams(location.hash.slice(1));
  for (const [name, first] of Object.entries(FIRST)) {
    const value = said.get(name);
    state[name] = value === null ? first : typeof first === 'number' ? Number(value) : value;
  }
  fit_state();
}

let writing = 0;
function write_link() {
  clearTimeout(writing);
  writing = setTimeout(() => {
    if (location.hash !== link_of()) history.replaceState(null, '', link_of());
  }, 120);
}
