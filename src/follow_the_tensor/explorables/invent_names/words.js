// All words that the reader sees.

const LANGUAGES = {
  cs: "Czech",
  de: "German",
  el: "Greek",
  en: "English",
  es: "Spanish",
  fr: "French",
  hi: "Hindi",
  it: "Italian",
  ja: "Japanese",
  ko: "Korean",
  nl: "Dutch",
  pl: "Polish",
  pt: "Portuguese",
  ru: "Russian",
  sv: "Swedish",
  tr: "Turkish",
  uk: "Ukrainian",
  zh: "Chinese",
};

const WORDS = {
  language: "language",
  text: "the name begins with",
  temperature: "temperature",
  top_k: "top-k",
  top_p: "top-p",
  all: "all",
  next: "next character: now (at temperature 1, of all)",
  signs: { "<eos>": "end", " ": "␣" },
  shares: (after, before) => `${after} (${before})`,
  kept: (count) => `Characters that can be drawn: ${count}.`,
  ends: " The first name ends here.",
  more: "five other names",
  step: "write one character",
};

export { LANGUAGES, WORDS };
