// The page of the search: rank the sections of search_index.js and list the best of them.
{
  const { words, marked } = bookSearch;
  const TITLE = 3; // how much more a word counts in a title that is asked for
  const OTHER_NAME = 5; // and in a name that only readers use
  const NUMBER = 0.2; // numbers differ from program to program
  const COMMON = 1 / 3; // what more sections than this hold is neither marked nor shown
  const MOST = 20; // results
  const LEAST = 8; // of the points of the best, this part
  const AROUND = 32; // words that a result shows
  const PAIR = 2 ** 20; // two words next to each other are one more term

  const numbers = new Map(); // of each form of a word
  const forms = [""]; // and the other way round
  const number = (word) => {
    if (!numbers.has(word)) numbers.set(word, forms.push(word) - 1);
    return numbers.get(word);
  };
  const numbersOf = (text) => Uint32Array.from(words(text), ([word]) => number(word));
  // Of a dotted name, torch.softmax for one, the last part is what it is called.
  const called = (name) => (/\s/.test(name) ? name : name.split(".").at(-1));

  const sections = searchIndex.sections.map(([page, anchor, title, text, others]) => ({
    page: searchIndex.pages[page],
    anchor,
    title,
    text,
    others: [...others.flatMap((name) => [...new Set([name, called(name)])]), title].map(
      (name) => ({ name, list: numbersOf(name) }),
    ),
    list: numbersOf(`${title} ${text}`),
    titleList: numbersOf(called(title)),
  }));
  const length = sections.reduce((sum, { list }) => sum + list.length, 0) / sections.length;

  // Of a pasted traceback the last error counts; what stands above it is the reader's own.
  function message(query) {
    const starts = [...query.matchAll(/[\w.]*(?:Error|Warning|Exception): /g)];
    return starts.length ? query.slice(starts.at(-1).index) : query;
  }

  // The words of a query and their pairs, as numbers. Of a word that the book does not have,
  // such as one that is still being typed, all words that begin with it.
  function terms(query) {
    const asked = new Set();
    let before;
    for (const [word] of words(message(query))) {
      const known = numbers.get(word);
      if (known) asked.add(known);
      else if (word.length > 2) beginning(word).forEach((one) => asked.add(one));
      if (before && known) asked.add(before * PAIR + known);
      before = known;
    }
    return asked;
  }

  function beginning(start) {
    const found = forms.flatMap((word, one) => (word.startsWith(start) ? [one] : []));
    return found.slice(0, 12);
  }

  // How often each term stands in a list of numbers.
  function counts(list, asked) {
    const found = new Map();
    let before = 0;
    for (const one of list) {
      for (const term of [one, before * PAIR + one]) {
        if (asked.has(term)) found.set(term, (found.get(term) ?? 0) + 1);
      }
      before = one;
    }
    return found;
  }

  // What a word is worth: the fewer sections have it, the more.
  const holders = new Map();
  for (const { list } of sections) {
    for (const one of new Set(list)) holders.set(one, (holders.get(one) ?? 0) + 1);
  }
  const rarity = (times) => Math.log(1 + sections.length / ((times ?? 0) + 1));
  const worths = forms.map(
    (word, one) => (/^\p{N}+$/u.test(word) ? NUMBER : 1) * rarity(holders.get(one)),
  );

  // The same for the pairs of a query too.
  function worthOf(asked, hits) {
    return new Map(
      [...asked].map((term) => [
        term,
        worths[term] ?? rarity(hits.filter(([, found]) => found.has(term)).length),
      ]),
    );
  }

  const sum = (some, worth) => [...some].reduce((all, term) => all + (worth.get(term) ?? 0), 0);

  // How much of a title is asked for, from 0 to 1.
  function share(found, list) {
    const all = [...new Set(list)];
    const total = (some) => some.reduce((points, one) => points + worths[one], 0);
    return total(all.filter((one) => found.has(one))) / (total(all) || 1);
  }

  // Words in the text (fewer words make each count more), in the title, and as another name.
  function score(section, found, asked, worth) {
    const all = sum(asked, worth);
    let points = 0;
    for (const [term, times] of found) {
      points += (worth.get(term) * times) / (times + 0.6 + (0.6 * section.list.length) / length);
    }
    points *= sum(found.keys(), worth) / all;
    const inTitle = counts(section.titleList, asked);
    points += ((TITLE * sum(inTitle.keys(), worth) ** 2) / all) * share(inTitle, section.titleList);
    const named = section.others
      .filter((other) => isAsked(other, asked))
      .map(({ list }) => (OTHER_NAME * sum(counts(list, asked).keys(), worth) ** 2) / all);
    return (points + Math.max(0, ...named)) * section.page[2];
  }

  const isAsked = ({ list }, asked) => list.every((one) => asked.has(one));

  // The sections that answer, the best first, and what to mark in them.
  function search(query) {
    const asked = terms(query);
    const hits = sections.map((section) => [section, counts(section.list, asked)]);
    const worth = worthOf(asked, hits);
    const ranked = hits
      .map(([section, found]) => ({ section, points: score(section, found, asked, worth) }))
      .filter(({ points }) => points > 0)
      .sort((a, b) => b.points - a.points);
    const least = rarity(COMMON * sections.length);
    const single = [...asked].filter((term) => term < PAIR);
    const rare = single.filter((term) => worth.get(term) > least);
    return {
      asked,
      wanted: new Map((rare.length ? rare : single).map((term) => [forms[term], worth.get(term)])),
      found: ranked
        .filter(({ points }) => points > ranked[0].points / LEAST)
        .slice(0, MOST)
        .map(({ section }) => section),
    };
  }

  // The piece of a text in which most of what is asked for stands together, away from its ends.
  function around(text, wanted) {
    const list = words(text);
    const step = AROUND / 4;
    let best = 0,
      most = 0;
    for (let at = 0; at < list.length; at += step) {
      const found = worthOfRun(list.slice(at && at + step, at + 3 * step), wanted);
      if (found > most) [best, most] = [at, found];
    }
    const from = best && list[best][1],
      to = list[best + AROUND]?.[1] ?? text.length;
    return [from ? "… " : "", text.slice(from, to).trim(), to < text.length ? " …" : ""];
  }

  // Different words count once; next to each other they count again.
  function worthOfRun(list, wanted) {
    const found = new Map();
    let before = "";
    for (const [word] of list) {
      const worth = wanted.get(word) ?? 0;
      found.set(word, worth);
      if (worth && wanted.has(before) && word !== before) found.set(`${before} ${word}`, worth);
      before = word;
    }
    return [...found.values()].reduce((all, worth) => all + worth, 0);
  }

  function piece(kind, name, ...content) {
    const made = document.createElement(kind);
    made.className = name;
    made.append(...content);
    return made;
  }

  function result(section, { asked, wanted }) {
    const [page, pageTitle] = section.page;
    const marks = new URLSearchParams({ mark: [...wanted.keys()].join(" ") });
    const link = piece(
      "a",
      "",
      piece("span", "page", pageTitle),
      piece("span", "section", ...marked(section.title, wanted)),
    );
    link.href = `${page}.html?${marks}${section.anchor && `#${section.anchor}`}`;
    const shown = section.list.length && new Set(section.list);
    const others = section.others
      .filter((other) => isAsked(other, asked) && !other.list.every((one) => shown.has(one)))
      .map(({ name }) => piece("mark", "other", name));
    const [before, text, after] = around(section.text, wanted);
    const excerpt = piece("p", "words", ...others, before, ...marked(text, wanted), after);
    return piece("li", "", link, excerpt);
  }

  // The page itself. Its words stand in search.html.
  addEventListener("DOMContentLoaded", () => {
    const status = document.getElementById("search-status");
    const list = document.getElementById("search-results");
    const field = document.querySelector("article form.bd-search input");

    function show() {
      const query = field.value.trim();
      const answer = search(query);
      list.replaceChildren(...answer.found.map((section) => result(section, answer)));
      const { none, one, many } = status.dataset;
      const text = [none, one][answer.found.length] ?? many.replace("#", answer.found.length);
      status.textContent = query && text;
      history.replaceState(null, "", query ? `?${new URLSearchParams({ q: query })}` : "?");
    }

    let timer;
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(show, 150);
    });
    field.form.addEventListener("submit", (event) => {
      event.preventDefault();
      show();
    });
    // The arrow keys go from the field through the results.
    field.closest("article").addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const stops = [field, ...list.querySelectorAll("a")];
      const next = stops[stops.indexOf(document.activeElement) + step];
      if (!step || !next) return;
      event.preventDefault();
      next.focus();
    });

    field.value = new URLSearchParams(location.search).get("q") ?? "";
    field.focus();
    show();
  });
  globalThis.bookSearch.search = search;
}
