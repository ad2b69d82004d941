// English glosses of the Chinese words of the little language.

// The gloss of one word; empty if it needs none, or if the page is in Chinese.
function meaning_of(token) {
  return state.lang === 'en' && own(PAGE.meanings, token) || '';
}

// The glosses of a sentence, word by word; empty if none of its words needs one.
function meanings_of(tokens) {
  const words = tokens.filter((token) => !SPECIALS.includes(token)), known = words.some(meaning_of);
  return known ? words.map((token) => meaning_of(token) || plain(token)).join(' · ') : '';
}
