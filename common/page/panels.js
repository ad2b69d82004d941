// Next to the picture: the words with their lines, one cell in numbers, the candidates of a step.

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

// The heads named in a link, as in "0.2", without duplicates, however long the link is.
function heads_named(lines) {
  return [...new Set(lines.split('.').filter((head) => /^\d{1,3}$/.test(head)))].join('.');
}

// The heads whose lines are drawn: the selected one, or all that were picked, each in its colour.
function heads_with_lines(view) {
  const picked = state.lines.split('.').filter(Boolean).map(Number)
    .filter((head) => head < view.heads);
  return picked.length ? picked : [state.head];
}
// The palette of Okabe and Ito (2008), as in the line charts: safe for colour-blind readers.
// Colours too pale or too dark for one of the two themes are left out; from the seventh head on,
// they repeat with dashed lines.
const HEADS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];
function head_colour(head) { return HEADS[head % HEADS.length]; }
function head_dashes(head) { return ['', '7 4', '2 3'][Math.floor(head / HEADS.length) % 3]; }

function draw_line_heads(view) {
  const picked = new Set(state.lines ? heads_with_lines(view) : []);
  byId('line_heads').setAttribute('aria-label', word('line_heads'));
  replace_in(byId('line_heads'), tag('span', { class: 'soft' }, word('line_heads')),
    ...Array.from({ length: view.heads }, (_, head) => {
      const button = tag('button', { type: 'button', 'aria-pressed': picked.has(head),
        'aria-label': word('at', layer_number(view, state.layer), head),
        style: `--head: ${head_colour(head)}; --on-head: ${head % HEADS.length ? '#000' : '#fff'}` }, String(head));
      button.addEventListener('click', () => {
        if (!picked.delete(head)) picked.add(head);
        change({ lines: [...picked].sort((one, other) => one - other).join('.') });
      });
      return button;
    }));
}

// Shows the weights of the selected row or column as backgrounds and lines; without a selection,
// the strong lines of all rows. With several heads, a background has one stripe per head.
function draw_places() {
  build_places();
  const view = view_now(), box = byId('places'), { query, key } = state;
  draw_line_heads(view);
  const heads = heads_with_lines(view), columns = view.keys.length;
  const weights = heads.map((head) =>
    matrix_of(view, state.checkpoint, state.layer, head, 'softmax'));
  const weight = (n, q, k) => (veiled(view, q) ? 0 : weights[n][q * columns + k] || 0);
  const colour = (n, side) => (state.lines ? head_colour(heads[n]) : css(side));
  for (const button of box.querySelectorAll('button')) {
    const i = Number(button.dataset.index), is_query = button.parentElement.dataset.side === 'query';
    const chosen = is_query ? query === i : key === i;
    const share = (n) => (is_query ? (query < 0 && key >= 0 ? weight(n, i, key) : 0) :
      query >= 0 ? weight(n, query, i) : 0);
    button.setAttribute('aria-pressed', chosen);
    button.style.background = striped(heads.map((_, n) => (share(n) > 0.004 ?
      `color-mix(in srgb, ${colour(n, is_query ? '--query' : '--key')} ` +
      `${Math.round(60 * share(n))}%, transparent)` : 'transparent')));
  }
  draw_lines(view, heads, weight, colour);
  scroll_to(box, box.querySelector('button[aria-pressed="true"]'));
}

function striped(colours) {
  if (colours.every((colour) => colour === 'transparent')) return '';
  const edge = (n) => `${100 * n / colours.length}%`;
  return `linear-gradient(to right, ${colours.map((colour, n) =>
    `${colour} ${edge(n)} ${edge(n + 1)}`).join()})`;
}

// In a long sentence, scrolls the selected word into view.
function scroll_to(box, button) {
  if (!button) return;
  const above = button.offsetTop < box.scrollTop;
  const below = button.offsetTop + button.offsetHeight > box.scrollTop + box.clientHeight;
  if (above || below) box.scrollTop = button.offsetTop - box.clientHeight / 2;
}

function draw_lines(view, heads, weight, colour) {
  const box = byId('places'), svg = box.querySelector('svg'), { query, key } = state;
  const whole = box.querySelector('.columns');
  const width = whole.offsetWidth, height = whole.offsetHeight, drawn = [];
  const from = [...box.querySelectorAll('[data-side="query"] button')];
  const to = [...box.querySelectorAll('[data-side="key"] button')];
  const middle = (button) => button.offsetTop + button.offsetHeight / 2;
  const ends = { from: from.map(middle), to: to.map(middle) };
  const x1 = from.map((b) => b.offsetLeft + b.offsetWidth), x2 = to.map((b) => b.offsetLeft);
  const side = query < 0 && key >= 0 ? '--query' : '--key';
  const strokes = heads.map((_, n) => colour(n, side));
  const line = (q, k, least) => heads.forEach((_, n) => {
    const share = weight(n, q, k), beside = 2 * (n - (heads.length - 1) / 2);
    if (share < least) return;
    drawn.push(shape('line', { x1: x1[q], x2: x2[k], y1: ends.from[q] + beside,
      y2: ends.to[k] + beside, stroke: strokes[n], 'stroke-width': 0.5 + 3 * share,
      'stroke-opacity': 0.15 + 0.85 * share,
      'stroke-dasharray': state.lines ? head_dashes(heads[n]) : '' }));
  });
  if (query >= 0) to.forEach((_, k) => line(query, k, 0.004));
  else if (key >= 0) from.forEach((_, q) => line(q, key, 0.004));
  else {
    const least = Math.max(from.length, to.length) > 24 ? 0.2 : 0.05;  // long: only the strong ones
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
  draw_components(card, view);
  draw_strip(card, view);
}

// The head's output vector for the query, as a strip of cells.
function draw_strip(card, view) {
  const output = output_of(view, state.checkpoint, state.layer, state.head, state.query);
  if (!output) return;
  card.append(tag('div', { class: 'soft', style: 'margin-top: .5rem' },
    word(output.length > STRIP ? 'output_row' : 'output_all', STRIP, output.length)),
  bars_of('strip', output));
}

// Query and key of the selected cell and their products, if the page has them; else null.
function components_of(view) {
  const { query, key, checkpoint, layer, head } = state;
  const { queries, keys } = layer_of(view, checkpoint, layer);
  if (!queries || key < 0) return null;
  const width = queries.length / (view.heads * view.queries.length);
  const row = (from, rows, i) => from.subarray((head * rows + i) * width).subarray(0, width);
  const q = row(queries, view.queries.length, query), k = row(keys, view.keys.length, key);
  return { q, k, products: q.map((value, i) => value * k[i]), width };
}

// Shows their numbers, and the products that sum to the score.
function draw_components(card, view) {
  const components = components_of(view);
  if (!components) return;
  const { q, k, products, width } = components;
  const most = products.indexOf(Math.max(...products));
  card.append(tag('div', { class: 'soft', style: 'margin-top: .5rem' }, word('components', width,
    short(products.reduce((sum, value) => sum + value, 0)), most, short(products[most]))));
  for (const [name, numbers] of [['q', q], ['k', k], ['q·k', products]])
    card.append(tag('div', { class: 'row component' }, tag('span', { class: 'soft number' }, name),
      bars_of(`component_${name[0]}${name.length > 1 ? 'k' : ''}`, numbers)));
}

const STRIP = 64;  // numbers, at most
function bars_of(id, numbers) {
  const most = Math.max(...numbers.map(Math.abs)) || 1, size = Math.min(numbers.length, STRIP);
  const svg = shape('svg', { id, class: 'strip', viewBox: `0 0 ${size * 8} 44`, width: size * 8 });
  svg.append(shape('line', { x1: 0, x2: size * 8, y1: 22, y2: 22, stroke: css('--line') }));
  for (let i = 0; i < size; ++i) {
    const height = Math.abs(numbers[i]) / most * 20, bar = shape('rect', { x: 8 * i + 1, width: 6,
      height, y: numbers[i] > 0 ? 22 - height : 22,
      fill: css(numbers[i] > 0 ? '--above' : '--below') });
    bar.append(shape('title', {}, `${i}: ${short(numbers[i])}`));
    svg.append(bar);
  }
  return svg;
}

// ---- what comes next -----------------------------------------------------------------------------

function draw_beam() {
  const view = view_now(), search = PAGE.search, card = byId('beam_card');
  const step = state.step >= 0 ? state.step : 0;
  const next = view.next && view.next[state.query >= 0 ? state.query : Math.max(state.step, 0)];
  card.hidden = !(next || search && !is_early() && search.steps[step]);
  if (card.hidden) return;
  if (next) { draw_next(view, next); return; }
  const decoder = PAGE.views.find((one) => one.kind === 'decoder');
  byId('beam_name').textContent = word('beam', step, plain(decoder.queries[step]));
  byId('beam').replaceChildren(...search_table(search, step));
}

function bar_of(p) { return tag('span', { class: 'bar', style: `width: ${(4 * p).toFixed(2)}em` }); }

function draw_next(view, next) {
  const query = state.query >= 0 ? state.query : Math.max(state.step, 0);
  byId('beam_name').textContent = word('next', plain(view.queries[query]));
  byId('beam').replaceChildren(tag('table', {}, ...next.map(([token, p]) => tag('tr', {},
    tag('td', {}, literal(token)), tag('td', {}, bar_of(p), short(p))))));
}

// The candidates of beam search at a step, and what became of each.
function search_table(search, step) {
  const written = search.result.slice(0, step);
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
  return [tag('table', {}, head, ...rows), tag('div', { class: 'soft' }, '★ ' + word('chosen'))];
}
