"use strict";

/** The fields of one line. */
function fields(line) {
  const found = [];
  let field = "";
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at];
    if (quoted && char === '"' && line[at + 1] === '"') {
      field += '"';
      at += 1;
    } else if (char === '"') quoted = !quoted;
    else if (char === "," && !quoted) {
      found.push(field);
      field = "";
    } else field += char;
  }
  return [...found, field];
}

function parse(text) {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map(fields);
}

/** Rows as objects, by the names in the first row. */
function parseObjects(text) {
  const [names = [], ...rows] = parse(text);
  return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? ""])));
}

module.exports = { parse, parseObjects };
