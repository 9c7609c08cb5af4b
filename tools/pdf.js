// Replace the content of the open page by the articles of all pages, ready to be printed.
// Returns what must be read in the print: each formula's letters, and the text around it.
async ({ pages, book }) => {
  const key = (page) => page.replaceAll("/", "-");
  const pageOf = (url) =>
    url.href
      .split("#")[0]
      .slice(book.length + 1)
      .replace(/\.html$/, "");
  const known = new Set(pages.map(({ page }) => page));
  const sheets = new Set([...document.querySelectorAll("link[rel=stylesheet]")].map((l) => l.href));

  function addSheets(parsed, base) {
    for (const link of parsed.querySelectorAll("link[rel=stylesheet]")) {
      const href = new URL(link.getAttribute("href"), base).href;
      if (sheets.has(href)) continue;
      sheets.add(href);
      const copy = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
      document.head.append(copy);
    }
  }

  // A page of the book becomes a place in this one. What is in no page has no place on paper.
  function lead(link, base) {
    const url = new URL(link.getAttribute("href"), base);
    if (!url.href.startsWith(book)) return;
    const page = pageOf(url);
    if (!known.has(page)) return link.replaceWith(...link.childNodes);
    const anchor = decodeURIComponent(url.hash.slice(1));
    link.setAttribute("href", `#${key(page)}${anchor && `-${anchor}`}`);
  }

  function article({ page, url, text }) {
    const parsed = new DOMParser().parseFromString(text, "text/html");
    addSheets(parsed, url);
    const found = parsed.querySelector("article.bd-article");
    for (const element of found.querySelectorAll("script, .headerlink, .launch")) element.remove();
    for (const element of found.querySelectorAll("[id]")) element.id = `${key(page)}-${element.id}`;
    for (const link of found.querySelectorAll("a[href]")) lead(link, url);
    for (const image of found.querySelectorAll("img")) {
      image.src = new URL(image.getAttribute("src"), url).href;
    }
    found.id = key(page);
    found.style.breakBefore = "page";
    return document.adoptNode(found);
  }

  function contents(articles) {
    const list = document.createElement("nav");
    list.className = "bd-article";
    list.style.breakBefore = "page";
    list.append(Object.assign(document.createElement("h2"), { textContent: "Contents" }));
    let last = "";
    pages.forEach(({ part, page }, n) => {
      if (part !== last) {
        list.append(Object.assign(document.createElement("h3"), { textContent: part }));
        last = part;
      }
      if (!part) return;
      const link = document.createElement("a");
      link.href = `#${key(page)}`;
      link.textContent = articles[n].querySelector("h1").textContent;
      const line = document.createElement("p");
      line.append(link);
      list.append(line);
    });
    return list;
  }

  // MathJax writes each letter as an element whose class has its number in Unicode.
  function letters(formula) {
    const drawn = [...formula.querySelectorAll("mjx-c")].map((c) => c.className);
    const codes = drawn.map((name) => parseInt(/mjx-c([0-9A-F]+)/.exec(name)[1], 16));
    return String.fromCodePoint(...codes);
  }

  function formulas() {
    return [...document.querySelectorAll("mjx-container")].map((formula) => {
      const near = formula.parentElement.matches("span.math") ? formula.parentElement : formula;
      return {
        page: formula.closest("article").id,
        before: near.previousSibling?.textContent ?? "",
        letters: letters(formula),
        after: near.nextSibling?.textContent ?? "",
      };
    });
  }

  const articles = pages.map(article);
  articles[0].style.breakBefore = "auto";
  const main = document.createElement("main");
  main.className = "bd-content";
  main.style.display = "block"; // the theme's flex box is not cut well into pages
  main.append(articles[0], contents(articles), ...articles.slice(1));
  document.body.replaceChildren(main);
  document.title = articles[0].querySelector("h1").textContent;
  await MathJax.typesetPromise();
  await Promise.all([...document.images].map((image) => image.decode()));
  await document.fonts.ready;
  return formulas();
};
