// What a word is, for the search and for the marks on the page that it leads to.
// Nothing else cuts text into words: the index holds the text as it is.
{
  const RUN = /\p{Script=Han}|[\p{L}\p{M}\p{N}]+/gu; // a name is cut at dots and underscores
  const HUMP = /\p{Lu}?[\p{Ll}\p{M}]+[\p{N}]*|\p{Lu}+(?!\p{Ll})\p{N}*/gu; // LayerNorm: Layer, Norm

  // One form for masks and masked, tokenizer and tokeniser. It need not be a word.
  const forms = new Map();
  const form = (word) => {
    if (!forms.has(word)) {
      forms.set(
        word,
        word
          .normalize("NFKC")
          .toLowerCase()
          .replace(/iz(?=[aei])/g, "is")
          .replace(/(?<=..)(?<!s)s$/, "")
          .replace(/(?<=...)(ed|ing|ion|e)$/, "")
          .replace(/([bdgmnpt])\1$/, "$1")
          .replace(/(?<=..)(ie|y)$/, "i"),
      );
    }
    return forms.get(word);
  };

  // The words of a text in their order: each as [form, start, end]. LayerNorm is three words.
  function words(text) {
    const found = [];
    for (const { 0: run, index } of text.matchAll(RUN)) {
      found.push([form(run), index, index + run.length]);
      if (!/\p{Ll}\p{Lu}/u.test(run)) continue;
      for (const { 0: hump, index: at } of run.matchAll(HUMP)) {
        found.push([form(hump), index + at, index + at + hump.length]);
      }
    }
    return found;
  }

  // The parts of `text`, each as [part, whether it is wanted]. Words with nothing but signs
  // between them, such as masked_fill, are one part.
  function parts(text, wanted) {
    const cut = [];
    let end = 0;
    for (const [word, from, to] of words(text)) {
      if (!wanted.has(word) || to <= end) continue;
      const between = text.slice(end, from);
      if (cut.length && !/[\p{L}\p{N}]/u.test(between)) cut.at(-1)[0] += text.slice(end, to);
      else cut.push([between, false], [text.slice(from, to), true]);
      end = to;
    }
    return [...cut, [text.slice(end), false]].filter(([part]) => part);
  }

  // `text` as nodes in which what is wanted stands in <mark>.
  function marked(text, wanted) {
    return parts(text, wanted).map(([part, hit]) => {
      if (!hit) return document.createTextNode(part);
      const shown = document.createElement("mark");
      shown.textContent = part;
      return shown;
    });
  }

  // The texts of one section, without the sections in it and what is no prose or code.
  function* textsOf(section) {
    const skip = "section, script, style, .explorable, .headerlink, mjx-container, .tag_setup";
    const walker = document.createTreeWalker(
      section,
      NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT,
      (node) => (node.matches?.(skip) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT),
    );
    while (walker.nextNode()) {
      if (walker.currentNode.nodeType === Node.TEXT_NODE) yield walker.currentNode;
    }
  }

  // A result says in its address what to mark: page.html?mark=masked+fill#section.
  function mark() {
    const wanted = new Set(new URLSearchParams(location.search).get("mark")?.split(" "));
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const section = (place ?? document.querySelector("article h1"))?.closest("section, dl");
    if (!wanted.size || !section) return;
    // All texts are found before the first is replaced.
    const texts = [...textsOf(section)];
    for (const text of texts) text.replaceWith(...marked(text.data, wanted));
    const marks = [...section.querySelectorAll("mark")];
    marks.forEach((each) => each.closest("details")?.setAttribute("open", ""));
    // The theme lets the page glide to a section, and a second scroll would miss its aim.
    document.documentElement.style.scrollBehavior = "auto";
    addEventListener("load", () => show(section, marks));
  }

  // Show the mark with the most words, unless it is seen together with the heading.
  function show(section, marks) {
    const size = (each) => words(each.textContent).length;
    const [best] = marks
      .filter((each) => !each.closest("h1, h2, h3, h4, dt"))
      .sort((a, b) => size(b) - size(a));
    if (!best) return;
    const below = best.getBoundingClientRect().bottom - section.getBoundingClientRect().top;
    if (below > innerHeight * 0.75) best.scrollIntoView({ block: "center" });
  }

  addEventListener("DOMContentLoaded", mark);
  globalThis.bookSearch = { words, marked };
}
