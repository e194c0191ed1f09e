#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { Board } from "../src/board.js";
import { coloured, row } from "../src/rows.js";
import { search } from "../src/search.js";

const [file, ...words] = process.argv.slice(2);
if (!file) {
  console.error("usage: tickets FILE [QUERY]");
  process.exit(2);
}

const board = new Board();
try {
  for (const fields of JSON.parse(readFileSync(file, "utf8"))) board.add(fields);
} catch (error) {
  console.error(`${file}: ${error.message}`);
  process.exit(1);
}

const colour = coloured(process.env, process.stdout);
for (const ticket of search(board, words.join(" "))) console.log(row(ticket, colour));
process.exit(0);
