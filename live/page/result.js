// What was written: the words, how far they are from the translation as trained, the candidates.

function draw_result() {
  const { answer, whole } = writer, last = state.step < 0 ? answer.target.length : state.step;
  const apart = is_broken() ? difference(answer.target, whole.target) : new Set();
  const show = (i) => { pause(); go_to_step(i); point(i, -1); draw_play(); };
  const row = tag('div', { class: 'row words', id: 'translation' },
    ...answer.target.map((token, i) => button_for(literal(token), () => show(i),
      { class: (apart.has(i) ? 'changed ' : '') + (i > last ? 'later' : '') })));
  const about = tag('p', { class: 'soft' }, word('took', rounded(writer.took, 0)));
  byId('result').replaceChildren(row, about);
  if (answer.unknown.length) byId('result').append(unknown_words(answer));
  if (is_broken()) byId('result').append(...as_trained(answer, whole, apart.size));
}

// The translation without the change, and how far the two are apart.
function as_trained(answer, whole, added) {
  const missing = difference(whole.target, answer.target);
  return [
    tag('div', { class: 'row words soft', id: 'as_trained' },
      word('named', word('whole_result'), ''), ...whole.target.map((token, i) =>
        tag('span', missing.has(i) ? { class: 'changed' } : {}, literal(token)))),
    tag('p', { id: 'changed' }, added || missing.size ? word('changed', added, missing.size) :
      word('unchanged')),
  ];
}

function unknown_words(answer) {
  const line = tag('p', { class: 'wrong', id: 'unknown' });
  const text = word('unknown', '\0').split('\0');
  line.append(text[0]);
  const words = new Set(answer.unknown.map((place) => answer.source[place]));
  [...words].forEach((token, i) => line.append(i ? ', ' : '', literal(token)));
  line.append(text[1]);
  return line;
}

// The places of `now` that are not part of the longest common sequence with `before`.
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

// The likeliest words of a step, and what they had without the change, if what was written before
// is the same.
function draw_candidates() {
  const { answer, whole } = writer;
  const step = Math.max(0, Math.min(state.step, answer.steps.length - 1));
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
    tag('td', {}, token === answer.target[step] ? tag('b', {}, literal(token)) : literal(token)),
    cell(now.get(token)), ...(same ? [cell(before.get(token))] : [])));
  byId('candidates').replaceChildren(tag('table', {}, head, ...rows));
}
