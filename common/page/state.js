// The state of the page, all of it stored in the URL fragment, so that a link restores the view.

const STAGES = ['raw', 'scaled', 'masked', 'softmax', 'weighted'];
const state = {
  view: PAGE.views[0].kind === 'xl' ? PAGE.views.length - 1 : 0,  // the first segment has no memory
  layer: 0, head: 0, checkpoint: PAGE.checkpoints.length - 1, stage: 'softmax',
  layout: 'matrix', step: -1,  // -1: all steps
  // With many keys, no weight is near 1, so the map would be black on a fixed scale.
  scale: PAGE.views.some((view) => view.keys.length > 24) ? 'head' : 'fixed',
  query: -1, key: -1,  // -1: none
  lines: '',           // heads drawn with lines, "0.2"; empty: the selected one
  lang: system_language(), theme: 'auto',
};
const FIRST = { ...state };  // defaults, left out of a link
const WHERE = ['view', 'layer', 'head', 'query', 'key', 'step', 'checkpoint'];

function view_now() { return PAGE.views[state.view]; }
// Is this not the last checkpoint? The translation and its search belong to the last one.
function is_early() { return state.checkpoint < PAGE.checkpoints.length - 1; }
// Clamps the layer and the head to those of the current view, and drops a query it does not have.
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

// Without scores there is no stage before the softmax, without lengths none after it.
function stages_of(view) {
  const one = view.checkpoints[0][0];
  return STAGES.filter((stage) => stage === 'softmax' ||
    (stage === 'weighted' ? one.lengths : one.scores));
}

// A decoder takes one step per row.
function steps_of(view) {
  const decoder = PAGE.views.find((one) => one.kind === 'decoder');
  return decoder ? decoder.queries.length : view.kind === 'xl' ? view.queries.length : 0;
}

// The initial view unless the link specifies one: cross-attention if there is any, the head whose
// rows differ most, and in it the row that differs most from the others.
function opening() {
  const cross = PAGE.views.findIndex((view) => view.kind === 'cross');
  const best = { view: cross < 0 ? FIRST.view : cross, told: -1 }, view = PAGE.views[best.view];
  for (let layer = 0; layer < view.layers; ++layer)
    for (let head = 0; head < view.heads; ++head) {
      const rows = apart_by_row(view, FIRST.checkpoint, layer, head);
      const told = rows.reduce((sum, one) => sum + one, 0);
      if (told > best.told)
        Object.assign(best, { told, layer, head, query: rows.indexOf(Math.max(...rows)) });
    }
  return { view: best.view, layer: best.layer, head: best.head, query: best.query };
}

// For each query q the divergence sum_k w(q,k) ln(w(q,k) / m(k)), where m is the mean of all rows.
// Its mean over q is the mutual information of query and key: 0 if all rows are equal.
function apart_by_row(view, checkpoint, layer, head) {
  const { weights } = layer_of(view, checkpoint, layer);
  const rows = view.queries.length, columns = view.keys.length, at = head * rows * columns;
  const mean = new Float64Array(columns), apart = new Array(rows).fill(0);
  for (let q = 0; q < rows; ++q)
    for (let k = 0; k < columns; ++k) mean[k] += (weights[at + q * columns + k] || 0) / rows;
  for (let q = 0; q < rows; ++q)
    for (let k = 0; k < columns; ++k) {
      const weight = weights[at + q * columns + k];
      if (weight > 0) apart[q] += weight * Math.log(weight / mean[k]);
    }
  return apart;
}

function link_of() {
  return '#' + Object.keys(FIRST)
    .filter((name) => state[name] !== FIRST[name] || name === 'lang' || name === 'view')
    .map((name) => `${name}=${encodeURIComponent(state[name])}`).join('&');
}

function read_link() {
  const said = new URLSearchParams(location.hash.slice(1));
  for (const [name, first] of Object.entries(FIRST)) {
    const value = said.get(name);
    state[name] = value === null ? first : typeof first === 'number' ? Number(value) : value;
  }
  if (!WHERE.some((name) => said.has(name))) Object.assign(state, opening());
  fit_state();
}

let writing = 0;
function write_link() {
  clearTimeout(writing);
  writing = setTimeout(() => {
    if (location.hash !== link_of()) history.replaceState(null, '', link_of());
  }, 120);
}
