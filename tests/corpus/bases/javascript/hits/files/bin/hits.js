#!/usr/bin/env node
"use strict";
const { readFileSync } = require("node:fs");
const { report } = require("../lib/report.js");

const [file] = process.argv.slice(2);
if (!file) {
  console.error("usage: hits FILE");
  process.exit(2);
}
process.stdout.write(report(readFileSync(file, "utf8")));
