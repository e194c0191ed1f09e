"use strict";

const assert = require("node:assert/strict");
const test = require("node:test");
const { parse, parseObjects } = require("../lib/parse.js");

test("rows and fields", () => {
  assert.deepEqual(parse("a,b\nc,d\n"), [["a", "b"], ["c", "d"]]);
});

test("empty fields", () => {
  assert.deepEqual(parse("a,,\n"), [["a", "", ""]]);
});

test("quoted fields", () => {
  assert.deepEqual(parse('"a,b","say ""x"""\n'), [["a,b", 'say "x"']]);
});

test("empty lines do not count", () => {
  assert.deepEqual(parse("\na\n\nb\n"), [["a"], ["b"]]);
});

test("objects", () => {
  assert.deepEqual(parseObjects("x,y\n1,2\n3\n"), [{ x: "1", y: "2" }, { x: "3", y: "" }]);
});
