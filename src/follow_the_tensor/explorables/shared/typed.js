// What a reader typed, whatever the keyboard: the digits of any script, dashes and spaces of
// any kind. `follow_the_tensor/typed.py` and `explorables/predict` read it in the same way.

const NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi;
// 8 256 and 8,256: groups of three digits, all with the same sign between them.
const GROUPS = /(?<![\d.])\d{1,3}([ ,'’_٬])\d{3}(?:\1\d{3})*(?!\d)/g;
// What Python's split() takes for a space. JavaScript's \s differs in a few characters.
// oxlint-disable-next-line no-control-regex
const SPACES = /[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
const LARGEST = 1e6; // also in base.py

// Digits become 0 to 9, dashes "-", and signs what Unicode (NFKC) takes for the same.
function plainText(text) {
  return plainDigits(text)
    .replace(/[\p{P}\p{S}\p{Z}]/gu, (sign) => sign.normalize("NFKC"))
    .replace(/[\p{Pd}−]/gu, "-");
}

const plainDigits = (text) => text.replace(/\p{Nd}/gu, digit);

// The ten digits of a script stand side by side in Unicode, the 0 first.
function digit(character) {
  const code = character.codePointAt(0);
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before++;
  return String(before % 10);
}

// Words in lower case, with one space between them.
function plainWords(text) {
  return text.normalize("NFKC").toLowerCase().split(SPACES).filter(Boolean).join(" ");
}

// Half of a character that needs two: what no file and no message can hold.
const isBroken = (text) => /\p{Cs}/u.test(text);
const whole = (text) => text.replace(/\p{Cs}/gu, "\ufffd");
const joinGroups = (text) => text.replace(GROUPS, (group) => group.replace(/\D/g, ""));
const numbersIn = (text) => text.match(NUMBER) ?? [];

// The one number in a field. Throws a message that can be shown beside it.
function parse(text, { min = -LARGEST, max = LARGEST, integer = false } = {}) {
  const plain = joinGroups(plainText(text).trim());
  if (numbersIn(plain)[0] !== plain) throw new Error(`“${text}” is not a number`);
  const number = Number(plain);
  if (!(number >= min && number <= max))
    throw new Error(`${text} is not between ${min} and ${max}`);
  if (integer && !Number.isInteger(number)) throw new Error(`${text} is not a whole number`);
  return number;
}

// The sizes in a field: (2, 3), [2 3] or torch.Size([2, 3]).
function parseShape(text, { most }) {
  const inner = plainText(text)
    .trim()
    .replace(/^(torch\.Size)?[([]*/, "")
    .replace(/[)\]]*$/, "");
  const sizes = inner.split(/[\s,،、;]+/).filter(Boolean);
  if (sizes.length > most) throw new Error(`at most ${most} axes can be shown`);
  return sizes.map((size) => parse(size, { min: 0, integer: true }));
}

// The same numbers in order, to the digits that are shown; or the same words.
function sameAnswer(given, right) {
  const numbers = numbersIn(plainText(right));
  const others = plainText(right)
    .replace(NUMBER, "")
    .replace(/torch\.Size|[ \t\n()[\],]/g, "");
  if (others) return plainText(plainWords(given)) === plainText(plainWords(right));
  const plain = plainText(given);
  const readings = [plain, joinGroups(plain)];
  // Where one number is asked for, a comma may stand for the point of a decimal.
  if (numbers.length === 1) readings.push(plain.replaceAll(",", "."));
  return readings.some((text) => sameNumbers(numbersIn(text), numbers));
}

function sameNumbers(given, right) {
  return (
    given.length === right.length &&
    right.every((number, n) => Math.abs(given[n] - number) <= halfDigit(number))
  );
}

// Half a unit of the last digit that is shown; whole numbers must match exactly.
function halfDigit(number) {
  const decimals = number.split(".")[1] ?? "";
  return /^\d+$/.test(decimals) ? 0.501 * 10 ** -decimals.length : 1e-9;
}

export { isBroken, parse, parseShape, plainDigits, plainWords, sameAnswer, whole };
