"use strict";

function titleCase(text) {
  return text.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

const PLURALS = new Map([
  ["box", "boxes"],
  ["church", "churches"],
  ["city", "cities"],
]);

function plural(word) {
  return PLURALS.get(word) ?? `${word}s`;
}

module.exports = { plural, titleCase };
