// Comments, strings and keywords of one line of Python.

import { el } from "../shared/kit.js";

const COMMENT = String.raw`(#.*$)`;
const STRING = String.raw`("""|'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`;
const KEYWORDS =
  "def|class|return|yield|if|elif|else|for|while|in|not|and|or|is|None|True|False|" +
  "lambda|with|as|try|except|finally|raise|import|from|pass|break|continue|del|" +
  "assert";
const TOKENS = new RegExp(String.raw`${COMMENT}|${STRING}|\b(${KEYWORDS})\b`, "g");

function highlight(text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    parts.push(...breakable(text.slice(end, match.index)));
    const aside = text.slice(0, match.index).trim() ? "comment aside" : "comment";
    parts.push(el("span", { class: match[1] ? aside : match[2] ? "string" : "keyword" }, match[0]));
    end = match.index + match[0].length;
  }
  return [...parts, ...breakable(text.slice(end))];
}

// A long line may go on in the next one after an opening bracket and before a dot.
const breakable = (text) =>
  text.split(/(?<=\w[([])|(?=\.\D)/).flatMap((part, index) => (index ? [el("wbr"), part] : [part]));

export { highlight };
