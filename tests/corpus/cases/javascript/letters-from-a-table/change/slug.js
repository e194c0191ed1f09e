"use strict";

// Letters that do not come apart into a plain one and an accent.
const PLAIN = {
  "\u00df": "ss",
  "\u00e6": "ae",
  "\u0153": "oe",
  "\u00f8": "o",
  "\u0142": "l",
  "\u0111": "d",
  "\u00f0": "d",
  "\u00fe": "th",
};

function slugify(text, { separator = "-" } = {}) {
  return String(text)
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\0-\x7f]/gu, (letter) => PLAIN[letter] ?? letter)
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join(separator);
}

module.exports = { slugify };
