// All heads of a layer side by side: the same cell in each, with its value, on one colour scale.

// Shows one head or all; if the focused element disappears, the focus moves to the toggle button.
function show_one_or_all() {
  const gone = byId(state.together ? 'alone' : 'together').contains(document.activeElement);
  for (const one of ['alone', 'chain']) byId(one).hidden = state.together;
  for (const one of ['together', 'together_cell']) byId(one).hidden = !state.together;
  if (gone) byId('together_on').focus();
  draw_look_lines();
}

// For each head of the layer, the word with the largest weight in this row.
function most_looked_at(row) {
  const view = view_now(), columns = view.keys.length;
  return Array.from({ length: view.heads }, (_, head) => {
    const weights = matrix_of(view, 0, state.layer, head, 'softmax')
      .subarray(row * columns, (row + 1) * columns);
    const key = weights.reduce((at, weight, i) => (weight > (weights[at] || 0) ? i : at), 0);
    return { head, key, weight: weights[key] || 0 };
  });
}

// The selected row, or the one in which the heads differ most.
function row_in_words() {
  if (state.query >= 0) return state.query;
  const differ = (row) => {  // of these, the row whose least sure head is surest
    const most = most_looked_at(row);
    return new Set(most.map(({ key }) => key)).size + Math.min(...most.map(({ weight }) => weight));
  };
  return view_now().queries.reduce((at, _, i) => (differ(i) > differ(at) ? i : at), 0);
}

function heads_in_words() {
  const view = view_now(), row = row_in_words(), most = most_looked_at(row);
  if (view.heads === 1) return word('together_one');
  const alike = most.every(({ key }) => key === most[0].key);
  return word(alike ? 'together_alike' : 'together_look', plain(row_names(view)[row]),
    most.map((one) => word('head_looks', one.head, plain(view.keys[one.key]), one.weight.toFixed(2)))
    .join(word('listed')));
}

function draw_together() {
  if (!state.together) return;
  const view = view_now(), { all, ranges } = compute(), { layer } = state, place = byId('together');
  const look = { rows: row_names(view), columns: view.keys }, fills = fills_card();
  const across = Math.ceil(Math.sqrt(view.heads)), fitted = fit_maps(look, view.heads, across,
    { width: place.clientWidth, height: fills ? place.clientHeight : Infinity },
    { above: 0, right: fills ? 4.6 * lecture_names() : 0 }, fills ? lecture_names() : 12);
  place.style.setProperty('--columns', across);
  replace_in(place, ...all[layer].map((matrix, head) => {
    const off = writer.heads_off.has(`${view.kind} ${layer} ${head}`);
    const map = map_of({ rows: view.queries.length, columns: columns_now(view),
      values: laid_out(view, matrix) }, look, ranges[layer][head], fitted(head));
    set_all(map, { 'aria-label': word('at', layer, head), 'aria-describedby': 'together_named' });
    listen_to_map(map, (query, key) => { look_at_head(head); point(query, key); });
    map.addEventListener('focus', () => look_at_head(head));
    return tag('figure', { 'data-head': head, style: edges_of(map), ...(off && { class: 'off' }) },
      tag('div', { class: 'row' }, button_for(word('head_number', head) + (off ? ' ×' : ''),
        () => change({ head, together: false })), tag('b', { class: 'number' })), map);
  }));
  draw_together_cell();
}

// Hovering over a map selects its head, in the other pictures as well.
function look_at_head(head) {
  if (head === state.head) return;
  state.head = head;
  draw_grid();
  draw_head_name();
  draw_places();
  draw_cell();
  write_link();
}

// Marks the selected cell in every map, with its value next to the head's name and a caption below.
function draw_together_cell() {
  if (!state.together) return;
  const view = view_now(), { all, ranges } = compute(), { layer, query, key } = state;
  const inside = query >= 0 && key >= 0 && !veiled(view, query);
  for (const figure of byId('together').children) {
    const head = Number(figure.dataset.head);
    const value = inside ? all[layer][head][query * view.keys.length + key] : NaN;
    const map = figure.querySelector('svg');
    point_in_map(map, inside ? query : row_in_words(), inside ? key : -1);
    figure.querySelector('b').textContent = !inside ? '' :
      value === value ? short_number(value) : word('forbidden');
  }
  const names = inside ? word('together_cell', plain(row_names(view)[query]), plain(view.keys[key])) :
    word('together_hint');
  const numbers = [...byId('together').children].map((figure) => word('named',
    word('at', layer, figure.dataset.head), figure.querySelector('b').textContent));
  draw_look_lines();
  byId('together_cell').replaceChildren(tag('span', { id: 'together_named' }, names),
    tag('span', { id: 'together_spoken' }, inside ? numbers.join(word('listed')) : ''),
    colour_bar(ranges[layer][0], word('together_scale', word(state.stage))));
}
