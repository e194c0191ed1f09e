"use strict";
const { parseLine } = require("./parse.js");

// Rows of "hits bytes path", most hits first.
function report(text) {
  const rows = new Map();
  for (const line of text.split("\n")) {
    const request = parseLine(line);
    if (!request) continue;
    const row = rows.get(request.path) ?? { path: request.path, hits: 0, bytes: 0 };
    row.hits += 1;
    row.bytes += request.bytes;
    rows.set(request.path, row);
  }
  return [...rows.values()]
    .sort((a, b) => b.hits - a.hits || (a.path < b.path ? -1 : 1))
    .map((row) => `${String(row.hits).padStart(5)} ${String(row.bytes).padStart(8)} ${row.path}\n`)
    .join("");
}

module.exports = { report };
