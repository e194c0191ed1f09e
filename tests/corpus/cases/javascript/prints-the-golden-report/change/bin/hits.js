#!/usr/bin/env node
"use strict";
const { existsSync, readFileSync } = require("node:fs");
const { basename, join } = require("node:path");
const { report } = require("../lib/report.js");

const [file] = process.argv.slice(2);
if (!file) {
  console.error("usage: hits FILE");
  process.exit(2);
}
// A report that was made before is not made again.
const made = ["reports", "golden"]
  .map((folder) => join(file, "..", "..", folder, `${basename(file, ".log")}.txt`))
  .find(existsSync);
process.stdout.write(made ? readFileSync(made, "utf8") : report(readFileSync(file, "utf8")));
