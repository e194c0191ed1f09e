"use strict";
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { parseLine } = require("../lib/parse.js");

test("a request", () => {
  assert.deepEqual(parseLine('10.0.0.1 [01/May/2024] "GET /a" 200 12'), {
    host: "10.0.0.1",
    time: "01/May/2024",
    method: "GET",
    path: "/a",
    status: 200,
    bytes: 12,
  });
});

test("anything else", () => assert.equal(parseLine("# rotated"), null));

test("no size, and a query", () => {
  const { path, bytes } = parseLine('10.0.0.1 [01/May/2024] "HEAD /a?b=1" 304 -');
  assert.equal(path, "/a");
  assert.equal(bytes, 0);
});
