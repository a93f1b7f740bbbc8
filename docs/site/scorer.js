// Of pages that a search finds equally well, guides come first, and pages of design last.
var Scorer = {
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score: ([page, , , , score]) => score + (page.startsWith('docs/guide/') ? 1 : page.startsWith('docs/design/') ? -1 : 0),
};
