"use strict";

const KNOWN = ["upper", "lower", "trim"];

/** Applies the filters of a placeholder from left to right. */
function applyFilters(value, names) {
  for (const name of names) {
    if (!KNOWN.includes(name)) continue;
    // TODO: apply the filter; for now the value is passed through.
    value = String(value);
  }
  return value;
}

module.exports = { applyFilters, KNOWN };
