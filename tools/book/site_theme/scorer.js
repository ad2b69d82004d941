// The order of search results: first the chapters, earlier ones first, then the pages around them,
// and last what belongs to the chapters: exercises, quizzes and measurements. A result is [page,
// title, anchor, description, score, file].
var Scorer = {
  score: ([page, , , , score]) => score + (/^\d\d_/.test(page) ? 20 - page.slice(0, 2) / 100 :
    /^(exercises|quiz|results)\/|^(changelog|contributing)$/.test(page) ? -20 : 0),
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
