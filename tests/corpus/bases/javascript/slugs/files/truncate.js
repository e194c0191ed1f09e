"use strict";

// Shortens a text to at most `max` characters, with an ellipsis at the end.
function truncate(text, max) {
  if (text.length <= max) return text;
  return text.slice(0, max - 1) + "\u2026";
}

module.exports = { truncate };
