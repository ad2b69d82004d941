// Where a word is taught comes before where it is practised: what Sphinx gives a match (15 for one
// in a heading, 5 in the text), and more for a chapter than any match on another page has. Of two
// chapters the earlier one comes first.
var Scorer = {
  score: ([page, , , , score]) => score + (/^\d\d_/.test(page) ? 17 - page.slice(0, 2) / 100 : 0),
  objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
