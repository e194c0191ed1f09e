"use strict";

function parse(text) {
  const rows = [];
  let row = [];
  let field = "";
  let quoted = false;
  let empty = true; // whether the line has nothing at all
  const endRow = () => {
    if (!empty) rows.push([...row, field]);
    row = [];
    field = "";
    empty = true;
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    const next = text[at + 1];
    if (!quoted && char === "\n") endRow();
    else if (!quoted && char === "\r" && next === "\n") {
      endRow();
      at += 1;
    } else {
      empty = false;
      if (quoted && char === '"' && next === '"') {
        field += '"';
        at += 1;
      } else if (char === '"') quoted = !quoted;
      else if (char === "," && !quoted) {
        row.push(field);
        field = "";
      } else field += char;
    }
  }
  endRow();
  return rows;
}

/** Rows as objects, by the names in the first row. */
function parseObjects(text) {
  const [names = [], ...rows] = parse(text);
  return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? ""])));
}

module.exports = { parse, parseObjects };
