// The order of what a search finds: the chapters, of which an earlier one comes first, before the
// pages around them, and what is made of the chapters, exercises, quizzes and measurements, after
// these. A result is [page, title, anchor, description, score, file].
var Scorer = {
  score: ([page, , , , score]) => score + (/^\d\d_/.test(page) ? 20 - page.slice(0, 2) / 100 :
    /^(exercises|quiz|results)\/|^(changelog|contributing)$/.test(page) ? -20 : 0),
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
