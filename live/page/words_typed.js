// Words as typed by the user, and words as known to the model.

const NEAREST = 3;

function known(one) { return writer.words.includes(one); }

// The text without its final punctuation, and with each word in the case in which it is known.
function folded(text) {
  if (!writer.words.length) return text;
  return text.replace(/[\s.!?,;。！？，；]+$/, (end) => (/\S/.test(end) ? '' : end))
    .replace(/\S+/g, (one) => {
      if (known(one)) return one;
      const bare = one.replace(/[.!?,;。！？，；]+$/, '').toLowerCase();
      return writer.words.find((other) => other.toLowerCase() === bare) || one;
    });
}

// ---- sentences of the little language ------------------------------------------------------------

const NUMBERS_OF_WORDS = new Map(PAGE.bigrams.words.map((one, i) => [one, i]));
const FOLLOWERS = PAGE.bigrams.after.map((numbers) => new Set(numbers));

// Finds two known words of which the second never follows the first in the sentences counted for
// PAGE.bigrams, or the first or last word if none of them begins or ends with it; else null.
function no_sentence(source) {
  if (!knows_the_language() || source.some((one) => one !== '<eos>' && !NUMBERS_OF_WORDS.has(one)))
    return null;
  const end = PAGE.bigrams.words.length;  // the beginning, too
  const numbers = source.map((one) => (one === '<eos>' ? end : NUMBERS_OF_WORDS.get(one)));
  const at = numbers.findIndex((one, i) => !FOLLOWERS[i ? numbers[i - 1] : end].has(one));
  return at < 0 ? null : source.slice(Math.max(0, at - 1), at + 1).filter((one) => one !== '<eos>');
}

// The message about it, or an empty string.
function doubt_of_sentence(answer) {
  const words = answer.unknown.length ? null : no_sentence(answer.source);
  if (!words) return '';
  const ends = words.length === 1 && words[0] !== answer.source[0];
  return word(ends ? 'no_end' : words.length === 1 ? 'no_begin' : 'no_sentence', words.join(' '));
}

// The edit distance: letters inserted, deleted or substituted.
function edits(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; ++i) {
    const next = [i];
    for (let k = 1; k <= other.length; ++k)
      next.push(Math.min(row[k] + 1, next[k - 1] + 1,
        row[k - 1] + (one[i - 1] === other[k - 1] ? 0 : 1)));
    row = next;
  }
  return row[other.length];
}

function nearest_words(token) {
  const typed = token.toLowerCase();
  return writer.words.map((one) => [edits(typed, one.toLowerCase()), one])
    .filter(([far]) => far <= Math.max(2, typed.length / 2))
    .sort((a, b) => a[0] - b[0]).slice(0, NEAREST).map(([, one]) => one);
}

// The known words with the most similar spelling, as replacements.
function draw_nearest(tokens, panel) {
  return tag('div', { class: 'row words', id: panel + 'nearest' }, ...tokens.flatMap((token) => {
    const near = nearest_words(token);
    return near.length ? [tag('span', { class: 'soft' }, word('instead', plain(token))),
      ...near.map((one) => button_for(one, () => write(
        state.text.split(/(\s+)/).map((part) => (part === token ? one : part)).join(''))))] : [];
  }));
}
