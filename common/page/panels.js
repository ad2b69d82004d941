// Beside the picture: the words with their lines, one cell in numbers, the candidates of a step.

// ---- words and lines -----------------------------------------------------------------------------

let places_key = '';
function build_places() {
  const view = view_now();
  if (places_key === String(state.view)) return;
  places_key = String(state.view);
  const column = (tokens, side) => tag('div', { class: 'column', 'data-side': side },
    ...tokens.flatMap((token, i) => {
      const button = tag('button', { type: 'button', 'data-index': i, 'aria-pressed': 'false' },
        tag('span', { class: 'index' }, String(i)), literal(token));
      const past = side === 'key' && i < view.memory;
      if (past) button.classList.add('remembered');
      const edge = side === 'key' && view.memory && i === view.memory;
      return edge ? [tag('div', { class: 'boundary' }), button] : [button];
    }));
  const lines = shape('svg', {});
  replace_in(byId('places'), lines, tag('div', { class: 'columns' },
    column(view.queries, 'query'), column(view.keys, 'key')));
}

// The weights of the chosen row or column as backgrounds and lines; with nothing chosen, the
// strong lines of all.
function draw_places() {
  build_places();
  const view = view_now(), box = byId('places'), { query, key } = state;
  const weights = matrix_of(view, state.checkpoint, state.layer, state.head, 'softmax');
  const columns = view.keys.length;
  const weight = (q, k) => (veiled(view, q) ? 0 : weights[q * columns + k] || 0);
  for (const button of box.querySelectorAll('button')) {
    const i = Number(button.dataset.index), is_query = button.parentElement.dataset.side === 'query';
    const chosen = is_query ? query === i : key === i;
    const share = is_query ? (query < 0 && key >= 0 ? weight(i, key) : 0) :
      query >= 0 ? weight(query, i) : 0;
    button.setAttribute('aria-pressed', chosen);
    button.style.background = share > 0.004 ?
      `color-mix(in srgb, ${css(is_query ? '--query' : '--key')} ${Math.round(60 * share)}%, transparent)` : '';
  }
  draw_lines(view, weight);
  scroll_to(box, box.querySelector('button[aria-pressed="true"]'));
}

// A long sentence: the chosen word comes into sight.
function scroll_to(box, button) {
  if (!button) return;
  const above = button.offsetTop < box.scrollTop;
  const below = button.offsetTop + button.offsetHeight > box.scrollTop + box.clientHeight;
  if (above || below) box.scrollTop = button.offsetTop - box.clientHeight / 2;
}

function draw_lines(view, weight) {
  const box = byId('places'), svg = box.querySelector('svg'), { query, key } = state;
  const whole = box.querySelector('.columns');
  const width = whole.offsetWidth, height = whole.offsetHeight, drawn = [];
  const from = [...box.querySelectorAll('[data-side="query"] button')];
  const to = [...box.querySelectorAll('[data-side="key"] button')];
  const middle = (button) => button.offsetTop + button.offsetHeight / 2;
  const ends = { from: from.map(middle), to: to.map(middle) };
  const x1 = from.map((b) => b.offsetLeft + b.offsetWidth), x2 = to.map((b) => b.offsetLeft);
  const stroke = css(query < 0 && key >= 0 ? '--query' : '--key');
  const line = (q, k, least) => {
    const share = weight(q, k);
    if (share < least) return;
    drawn.push(shape('line', { x1: x1[q], x2: x2[k], y1: ends.from[q], y2: ends.to[k],
      stroke, 'stroke-width': 0.5 + 3 * share,
      'stroke-opacity': 0.15 + 0.85 * share }));
  };
  if (query >= 0) to.forEach((_, k) => line(query, k, 0.004));
  else if (key >= 0) from.forEach((_, q) => line(q, key, 0.004));
  else {
    const least = Math.max(from.length, to.length) > 24 ? 0.2 : 0.05;  // a long sentence: the strong
    from.forEach((_, q) => to.forEach((__, k) => line(q, k, least)));
  }
  svg.setAttribute('width', width);
  svg.setAttribute('height', height);
  svg.replaceChildren(...drawn);
}

// ---- one cell ------------------------------------------------------------------------------------

function draw_cell() {
  const view = view_now(), { query, key, checkpoint, layer, head } = state, card = byId('cell');
  card.replaceChildren();
  if (query < 0 && key < 0) { card.append(tag('p', { class: 'soft' }, word('cell_hint'))); return; }
  const side = (name, index, tokens, past) => {
    const title = tag('div', {}, tag('b', { style: `color: var(--${name})` }, word(name)), ` ${index} `,
      literal(tokens[index]));
    if (past) title.append(tag('span', { class: 'soft' }, ` (${word('remembered')})`));
    card.append(title);
  };
  if (query >= 0) side('query', query, view.queries, false);
  if (key >= 0) side('key', key, view.keys, key < view.memory);
  if (query < 0) return;
  const rows = tag('table'), at = query * view.keys.length + key;
  const row = (name, label, text) => rows.append(tag('tr', {}, tag('th', {}, label),
    tag('td', { class: 'number', 'data-value': name }, text)));
  const exact = (name, value) => { rows.lastChild.lastChild.dataset.exact = value; };
  if (key >= 0)
    for (const stage of stages_of(view)) {
      const value = matrix_of(view, checkpoint, layer, head, stage)[at];
      const text = value === value ? short(value) : word('forbidden');
      row(stage, word(stage), stage === 'softmax' && value !== value ? `0 (${text})` : text);
      exact(stage, value === value ? value : stage === 'softmax' ? 0 : '');
    }
  const weights = matrix_of(view, checkpoint, layer, head, 'softmax');
  let sum = 0;
  for (let k = 0; k < view.keys.length; ++k) sum += weights[query * view.keys.length + k] || 0;
  row('sum', word('row_sum'), sum.toFixed(4));
  exact('sum', sum);
  card.append(rows, tag('div', { class: 'soft' },
    word('precision', short(layer_of(view, checkpoint, layer).precision.weights))));
  draw_strip(card, view);
}

// The head's output for the query, number by number.
function draw_strip(card, view) {
  const output = output_of(view, state.checkpoint, state.layer, state.head, state.query);
  if (!output) return;
  const most = Math.max(...output.map(Math.abs)) || 1, size = Math.min(output.length, 64);
  const svg = shape('svg', { id: 'strip', viewBox: `0 0 ${size * 8} 44`, width: size * 8 });
  svg.append(shape('line', { x1: 0, x2: size * 8, y1: 22, y2: 22, stroke: css('--line') }));
  for (let i = 0; i < size; ++i) {
    const height = Math.abs(output[i]) / most * 20, bar = shape('rect', { x: 8 * i + 1, width: 6,
      height, y: output[i] > 0 ? 22 - height : 22, fill: css(output[i] > 0 ? '--key' : '--query') });
    bar.append(shape('title', {}, `${i}: ${short(output[i])}`));
    svg.append(bar);
  }
  card.append(tag('div', { class: 'soft', style: 'margin-top: .5rem' },
    word(size < output.length ? 'output_row' : 'output_all', size, output.length)), svg);
}

// ---- what comes next -----------------------------------------------------------------------------

function draw_beam() {
  const view = view_now(), search = PAGE.search, card = byId('beam_card');
  const step = state.step >= 0 ? state.step : 0;
  const next = view.next && view.next[state.query >= 0 ? state.query : Math.max(state.step, 0)];
  card.hidden = !(next || search && !is_early() && search.steps[step]);
  if (card.hidden) return;
  if (next) draw_next(view, next);
  else draw_candidates(search, step);
}

function bar_of(p) { return tag('span', { class: 'bar', style: `width: ${(4 * p).toFixed(2)}em` }); }

function draw_next(view, next) {
  const query = state.query >= 0 ? state.query : Math.max(state.step, 0);
  byId('beam_name').textContent = word('next', plain(view.queries[query]));
  byId('beam').replaceChildren(tag('table', {}, ...next.map(([token, p]) => tag('tr', {},
    tag('td', {}, literal(token)), tag('td', {}, bar_of(p), short(p))))));
}

function draw_candidates(search, step) {
  const written = search.result.slice(0, step);
  const decoder = PAGE.views.find((view) => view.kind === 'decoder');
  byId('beam_name').textContent = word('beam', step, plain(decoder.queries[step]));
  const head = tag('tr', {}, ...['beginning', 'token', 'probability', 'log_probability', 'fate']
    .map((name) => tag('th', name.endsWith('probability') ? { class: 'number' } : {}, word(name))));
  const rows = search.steps[step].map((one) => {
    const whole = [...one.before, one.token], wanted = [...written, search.result[step]];
    const chosen = whole.length === wanted.length && whole.every((token, i) => token === wanted[i]);
    const before = tag('td', { class: one.before.length ? 'beginning' : '' }), p = Math.exp(one.own);
    one.before.forEach((token, i) => before.append(i ? ' ' : '', literal(token)));
    return tag('tr', { class: one.fate }, before,
      tag('td', {}, chosen ? tag('b', {}, literal(one.token)) : literal(one.token)),
      tag('td', { class: 'number' }, bar_of(p), short(p)),
      tag('td', { class: 'number' }, one.all.toFixed(3)),
      tag('td', {}, word(one.fate) + (chosen ? ' ★' : '')));
  });
  byId('beam').replaceChildren(tag('table', {}, head, ...rows),
    tag('div', { class: 'soft' }, '★ ' + word('chosen')));
}
