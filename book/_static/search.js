// Let a whole pasted error message find its section. Sphinx's search wants every word of the
// query on one page, and a pasted message has numbers and names that no page has.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return; // this is not the search page
  const pagesWithAll = Search.performTermsSearch;

  // The words of a title as Sphinx counts those of a query: no numbers, no stop words, stems.
  const stemmer = new Stemmer();
  const wordsOf = (title) =>
    new Set(
      splitQuery(title.toLowerCase())
        .filter((word) => !stopwords.includes(word) && !/^\d+$/.test(word))
        .map((word) => stemmer.stemWord(word)),
    );

  // Sections whose whole title is in the query; of two, the longer title comes first.
  function sectionsNamed(query) {
    const { alltitles, docnames, filenames, titles } = Search._index;
    return Object.entries(alltitles).flatMap(([title, places]) => {
      const words = wordsOf(title);
      if (words.size < 2 || ![...words].every((word) => query.has(word))) return [];
      return places.map(([file, id]) => {
        const name = titles[file] === title ? title : `${titles[file]} > ${title}`;
        return [docnames[file], name, id ? `#${id}` : "", null, 100 * words.size, filenames[file]];
      });
    });
  }

  // Pages with more than half as many words of the query as the best page has.
  function pagesWithMost(query, excluded) {
    const counts = new Map();
    for (const word of query) {
      for (const page of pagesWithAll(new Set([word]), excluded)) {
        const found = counts.get(page[0]) ?? { page, words: 0 };
        found.words += 1;
        counts.set(page[0], found);
      }
    }
    const best = Math.max(...[...counts.values()].map(({ words }) => words));
    return [...counts.values()]
      .filter(({ words }) => words > best / 2)
      .map(({ page, words }) => page.with(4, words)); // place 4 is the score
  }

  Search.performTermsSearch = (query, excluded) => {
    const pages = pagesWithAll(query, excluded);
    return [...sectionsNamed(query), ...(pages.length ? pages : pagesWithMost(query, excluded))];
  };
});
