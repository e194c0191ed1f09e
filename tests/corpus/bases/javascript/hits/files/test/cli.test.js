"use strict";
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const { readFileSync, readdirSync, writeFileSync } = require("node:fs");
const { basename, join } = require("node:path");
const { test } = require("node:test");

const FIXTURES = join(__dirname, "fixtures");
const GOLDEN = join(__dirname, "golden");
const HITS = join(__dirname, "..", "bin", "hits.js");

for (const file of readdirSync(FIXTURES)) {
  const name = basename(file, ".log");
  test(`report of ${name}`, () => {
    const actual = execFileSync(process.execPath, [HITS, join(FIXTURES, file)], { encoding: "utf8" });
    // Kept, to be compared by hand when the test is red.
    writeFileSync(join(GOLDEN, `${name}.actual`), actual);
    assert.equal(actual, readFileSync(join(GOLDEN, `${name}.txt`), "utf8"));
  });
}
