// The output: the words, how far they differ from the translation as trained, the candidates.

function draw_result() {
  const { answer, whole } = writer, last = state.step < 0 ? answer.target.length : state.step;
  const apart = is_broken() ? difference(answer.target, whole.target) : new Set();
  const row_of = (i) => (view_now().kind === 'encoder' ? -1 : i);  // whose rows are source words
  const show = (i) => { pause(); go_to_step(i); point(row_of(i), -1); draw_play(); };
  const row = tag('div', { class: 'row words', id: 'translation' },
    ...answer.target.map((token, i) => button_for(literal(token), () => show(i),
      { class: (apart.has(i) ? 'changed ' : '') + (i > last ? 'later' : ''),
        title: meaning_of(token) })));
  const meanings = meanings_of(answer.target);
  const doubt = doubt_of_sentence(answer);
  const about = doubt ? tag('p', { class: 'wrong', id: 'no_sentence' }, doubt) :
    tag('p', { class: 'soft' }, word('took', rounded(writer.took, 0)));
  const parts = [row, ...(meanings ? [tag('p', { id: 'meanings' }, meanings)] : []), about];
  if (answer.cut_from)
    parts.push(tag('p', { class: 'wrong', id: 'endless' },
      word('endless', answer.cut_from, answer.target.length)));
  parts.push(...doubts(answer, ''));
  if (is_broken()) parts.push(...as_trained(answer, whole, apart.size));
  replace_in(byId('result'), ...parts);
}

// The translation without the change, and how many words differ.
function as_trained(answer, whole, added) {
  const missing = difference(whole.target, answer.target);
  return [
    tag('div', { class: 'row words soft', id: 'as_trained' },
      word('named', word(state.seed < 0 ? 'whole_result' : 'whole_drawn'), ''), ...whole.target.map((token, i) =>
        tag('span', missing.has(i) ? { class: 'changed' } : {}, literal(token)))),
    tag('p', { id: 'changed', class: added || missing.size ? 'seen' : '' },
      added || missing.size ? word('changed', added, missing.size) :
      word('unchanged', unseen_change(answer, whole))),
  ];
}

// What changed while the words stayed the same: p of the word that lost most, the weights of the
// maps, the entropy of their rows; the largest change first.
function unseen_change(answer, whole) {
  let moved = 0, most = 0, rows = 0;
  for (const kind of KINDS)
    answer.maps[kind].forEach((heads, layer) => heads.forEach(({ shape, values }, head) => {
      const before = whole.maps[kind][layer][head].values, columns = shape[1];
      for (let row = 0; row < shape[0]; ++row, ++rows) {
        let apart = 0;
        for (let i = row * columns; i < (row + 1) * columns; ++i)
          apart += Math.abs(values[i] - before[i]) / 2;
        moved += apart;
        most = Math.max(most, apart);
      }
    }));
  const p_of = (from, i) => (from.steps[i].candidates.find((one) =>
    one.token === answer.target[i]) || { probability: 0 }).probability;
  const lost = (i) => p_of(whole, i) - p_of(answer, i);
  const worst = answer.target.reduce((at, _, i) => (lost(i) > lost(at) ? i : at), 0);
  const entropies = [whole, answer].map(entropy_of);
  const said = [
    [lost(worst), 0.0005, word('changed_p', plain(answer.target[worst]),
      rounded(p_of(whole, worst), 3), rounded(p_of(answer, worst), 3))],
    [moved / rows, 0.005, word('changed_weight', rounded(100 * moved / rows, 0),
      rounded(100 * most, 0))],
    [Math.abs(entropies[1] / entropies[0] - 1), 0.005, word('changed_entropy',
      ...entropies.map((entropy) => rounded(entropy, 2)))]].filter(([size, least]) => size >= least)
    .sort((one, other) => other[0] - one[0]).map(([, , text]) => text);
  return said.join(word('and_also')) || word('changed_less');
}

// In nats, averaged over the rows of all heads.
function entropy_of({ maps }) {
  let sum = 0, rows = 0;
  for (const { shape, values } of KINDS.flatMap((kind) => maps[kind].flat())) {
    rows += shape[0];
    for (const weight of values) sum -= weight > 0 ? weight * Math.log(weight) : 0;
  }
  return sum / rows;
}

// The words that the model does not know, with suggestions to replace them. Each panel that shows
// them uses ids of its own.
function doubts(answer, panel) {
  if (!answer.unknown.length) return [];
  const tokens = [...new Set(answer.unknown.map((place) => answer.source[place]))];
  const line = tag('p', { class: 'wrong', id: panel + 'unknown' });
  const text = word('unknown', '\0').split('\0');
  line.append(text[0]);
  tokens.forEach((token, i) => line.append(i ? ', ' : '', literal(token)));
  line.append(text[1]);
  return [line, draw_nearest(tokens, panel)];
}

// The indices in `now` that are not part of the longest common subsequence with `before`.
function difference(now, before) {
  const long = Array.from({ length: now.length + 1 }, () => new Array(before.length + 1).fill(0));
  for (let i = now.length - 1; i >= 0; --i)
    for (let k = before.length - 1; k >= 0; --k)
      long[i][k] = now[i] === before[k] ? long[i + 1][k + 1] + 1 :
        Math.max(long[i + 1][k], long[i][k + 1]);
  const apart = new Set();
  for (let i = 0, k = 0; i < now.length;) {
    if (k < before.length && now[i] === before[k]) { ++i; ++k; }
    else if (k < before.length && long[i][k + 1] > long[i + 1][k]) ++k;
    else apart.add(i++);
  }
  return apart;
}

// A candidate word for this step, with its meaning; the one that was written is bold.
function candidate_cell(token, step) {
  const meaning = meaning_of(token), written = token === writer.answer.target[step];
  return tag('td', {}, tag(written ? 'b' : 'span', {}, literal(token)),
    ...(meaning ? [tag('span', { class: 'soft gloss' }, ' ' + meaning)] : []));
}

// The likeliest words of a step, and their probabilities without the change, if the same words were
// written before.
function draw_candidates() {
  const { answer, whole } = writer;
  const step = within(state.step, answer.steps.length - 1);
  draw_choosing();
  if (is_choosing() && 'kept' in answer.steps[step].candidates[0]) { draw_choices(step); return; }
  if (answer.search && answer.search[step]) { draw_searched(step); return; }
  const same = is_broken() && step < whole.steps.length &&
    answer.target.slice(0, step).join(' ') === whole.target.slice(0, step).join(' ');
  byId('candidates_name').replaceChildren(word('candidates', plain(answer.read[step])));
  const head = tag('tr', {}, tag('th', {}, word('candidate')), tag('th', {}, word('now')),
    ...(same ? [tag('th', {}, word('as_trained'))] : []));
  const number = (p) => tag('span', { class: 'number' }, p < 0.0005 ? '<0.001' : p.toFixed(3));
  const cell = (p) => (p === undefined ? tag('td', {}, '') : tag('td', {}, bar_of(p), number(p)));
  const before = new Map(same ? whole.steps[step].candidates.map((one) =>
    [one.token, one.probability]) : []);
  const now = new Map(answer.steps[step].candidates.map((one) => [one.token, one.probability]));
  const rows = [...new Set([...now.keys(), ...before.keys()])].map((token) => tag('tr', {},
    candidate_cell(token, step),
    cell(now.get(token)), ...(same ? [cell(before.get(token))] : [])));
  byId('candidates').replaceChildren(tag('table', {}, head, ...rows));
}
