// Lecture mode: large text on one screen, and the selected cell in a line next to the map.

// The view that shows the effect of a part left out; the other switches leave the view as it is.
const LOOK_AT = { scale: 0, positions: 0, mask: 1, cross_heads: 2, other_heads: 2 };
// The chapter sections about it, by their addresses on the site.
const SECTIONS = {
  scale: { en: '02_attention.html#why-the-square-root', zh: '02_attention.html#d-k' },
  mask: { en: '06_decoder.html#run-it', zh: '06_decoder.html#id6' },
};
for (const name of ['choosing', 'any_choosing'])
  SECTIONS[name] = { en: '08_transformer_xl.html#on-real-texts', zh: '08_transformer_xl.html#id15' };
// The setting with which the panel Train trains a model without it.
const TRAINED_WITHOUT = { other_heads: ['heads', 1] };

function show_lecture() {
  document.documentElement.classList.toggle('lecture', state.lecture);
  byId('lecture').setAttribute('aria-pressed', state.lecture);
}

// Selects the view in which the effect of a part left out is visible.
function look_where_it_breaks() {
  const off = ALL_SWITCHES.filter(is_off), view = LOOK_AT[off[off.length - 1]];
  if (state.lecture && view !== undefined) Object.assign(state, { view, query: -1, key: -1 });
}

// ---- what is said of what is left out ------------------------------------------------------------

// One line per switch; in a lecture without the additional remarks, and for several switches at
// once without links, as there is no room for them.
function look_lines() {
  const kept = (name) => name !== 'other_heads' || ![...writer.heads_off].some((one) => one.endsWith(' 0'));
  const names = ALL_SWITCHES.filter((name) => is_off(name) && kept(name));
  if (writer.heads_off.size && !Object.keys(GROUPS).some((name) => names.includes(name)))
    names.push('heads');
  if (!names.length && state.together && view_now()) return [tag('span', { class: 'look' },
    heads_in_words())];
  if (!names.length) names.push(!is_shown_choosing() ? 'whole' : is_undecided() ? 'choosing' : 'any_choosing');
  const alone = names.length === 1, leads_on = alone || !state.lecture;
  const said = (name) => word(said_of_model(`${name}_look`), d_k_now(), rounded(Math.sqrt(d_k_now())),
    alone ? word('scale_entropy', ...entropies_now()) : '');
  return names.map((name, i) => tag('span', { class: 'look' },
    ...(!alone && !i ? [word('each_alone') + gap()] : []),
    leads_on ? said(name) : said(name).replace(/:$/, '.').replace(/：$/, '。'),
    ...(WORDS[state.lang][name + '_more'] ?
      [tag('span', { class: 'more' }, ' ' + word(name + '_more'))] : []),
    ...(leads_on ? ways_on(name) : [])));
}

function draw_look_lines() {
  for (const name of ['switch_note', 'said']) replace_in(byId(name), ...look_lines());
  byId('said').classList.toggle('several', byId('said').childElementCount > 1);
}

// The mean entropy of a row, as trained and with the current switches.
function entropies_now() {
  const { answer, whole } = writer;
  return answer && whole ? [whole, answer].map((one) => rounded(entropy_of(one), 2)) : ['…', '…'];
}

// The d_k of each head in the current model; 0 before a model is loaded.
function d_k_now() {
  const about = about_model();
  return about ? about.d_model / about.heads : 0;
}

// In a lecture, a link leads to the corresponding part of the lecture.
function go_on_in(scene, show) {
  if (state.lecture) go_to_scene(scene);
  show();
}

function ways_on(name) {
  const ways = [], way = (text, action) => button_for(word(text), action, { class: 'way' });
  if (SECTIONS[name]) {
    const address = SECTIONS[name][state.lang];
    ways.push(site_way(`${state.lang}/${address}`, word('chapter', parseInt(address))));
  }
  if (TRAINED_WITHOUT[name] && !is_trained_here())
    ways.push(way('train_without', () => train_without(...TRAINED_WITHOUT[name])));
  if (name === 'other_heads')
    ways.push(way('neighbours_way', () => {
      go_on_in('neighbours', () => show_panel('neighbours'));
      focus_on_start(training.neighbours);
    }));
  if (name === 'scale')
    ways.push(way('root_way', () => {
      state.power = within(Math.round(Math.log2(d_k_now())), 10);
      go_on_in('root', () => show_panel('root'));
      byId('d_k').children[1].focus();
    }));
  if (PARTS.includes(name))
    ways.push(way('train_without', () => go_on_in(`why_${name}`, () => show_left_out(name))));
  const said = said_of_model(`${name}_way`);
  const begin = WORDS[state.lang][said] ? gap() + word(said) + gap() : gap();
  return ways.flatMap((one, i) => [i ? ' · ' : begin, one]);
}

// A text has another version for models other than the built-in one if it would not hold for them.
function said_of_model(name) {
  return is_own_model() && WORDS[state.lang][`${name}_own`] ? `${name}_own` : name;
}

// ---- the chosen cell in a line -------------------------------------------------------------------

// From q · k to the weight, and the components of q and k with their products.
function draw_chain() {
  const box = byId('chain'), view = view_now(), { query, key, layer, head } = state;
  if (!box.getClientRects().length) return;  // the card next to the map shows it
  if (query < 0 || key < 0) {
    box.replaceChildren(tag('p', { class: 'soft' }, word('chain_hint')));
    return;
  }
  const columns = view.keys.length, at = query * columns + key, line = tag('p');
  for (const stage of stages_of(view)) {
    const value = matrix_of(view, 0, layer, head, stage)[at];
    const text = value === value ? short(value) : stage === 'softmax' ? '0' : word('forbidden');
    const out = is_left_out(stage), name = word(stage);
    line.append(stage === 'raw' ? '' : ' → ', tag(out ? 's' : 'span', { class: 'soft' }, name), ' ',
      tag('b', { class: 'number', 'data-value': stage }, text));
  }
  const sum = matrix_of(view, 0, layer, head, 'softmax')
    .slice(query * columns, (query + 1) * columns).reduce((a, b) => a + (b || 0), 0);
  line.append('; ', tag('span', { class: 'soft' }, word('sum_of_row')), ' ',
    tag('b', { class: 'number', 'data-value': 'sum' }, sum.toFixed(4)));
  const { q, k, products } = components_of(view);
  box.replaceChildren(line, tag('div', { class: 'row' }, ...[['q', q], ['k', k], ['q·k', products]]
    .map(([name, numbers], i) => tag('span', { class: 'row component' },
      tag('span', { class: 'soft number' }, name), bars_of(`chain_${i}`, numbers)))));
}

function is_left_out(stage) {
  if (stage === 'masked') return !(writer.comparing ? writer.whole : writer.answer).causal;
  return stage === 'scaled' && !writer.comparing && writer.off.has('scale');
}
