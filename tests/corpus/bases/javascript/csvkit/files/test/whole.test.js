"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const csv = require("../lib/index.js");

const PEOPLE = fs.readFileSync(path.join(__dirname, "fixtures", "people.csv"), "utf8");

test("a file", () => {
  assert.deepEqual(csv.parseObjects(PEOPLE)[1], { name: "Hopper, Grace", town: "New York" });
});

test("there and back", () => {
  assert.equal(csv.format(csv.parse(PEOPLE)), PEOPLE);
});
