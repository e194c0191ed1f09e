"use strict";

// The value at a dotted path; nothing is the empty string.
function lookup(data, path) {
  let value = data;
  for (const key of path.split(".")) {
    if (key === "this") continue;
    value = value?.[key];
  }
  return value ?? "";
}

module.exports = { lookup };
