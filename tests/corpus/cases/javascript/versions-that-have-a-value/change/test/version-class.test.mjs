import assert from "node:assert/strict";
import test from "node:test";
import { Version } from "../version.mjs";

test("parse and print", () => {
  assert.equal(String(Version.parse("v1.20.3")), "1.20.3");
  assert.throws(() => Version.parse("1.2"), SyntaxError);
});

test("bump", () => {
  const version = Version.parse("1.2.3");
  assert.equal(String(version.bump("major")), "2.0.0");
  assert.equal(String(version.bump("minor")), "1.3.0");
  assert.equal(String(version.bump("patch")), "1.2.4");
});

test("compare with operators", () => {
  const texts = ["0.9.9", "1.9.0", "1.10.0", "1.10.1", "2.0.0"];
  const versions = texts.map(Version.parse);
  for (const [i, one] of versions.entries()) {
    for (const [j, other] of versions.entries()) {
      assert.equal(one < other, i < j, `${one} < ${other}`);
      assert.equal(one >= other, i >= j, `${one} >= ${other}`);
    }
  }
});

test("sort", () => {
  const sorted = ["1.10.0", "1.9.0", "0.1.0"].map(Version.parse).sort(Version.compare);
  assert.equal(sorted.join(" "), "0.1.0 1.9.0 1.10.0");
});

test("try to parse", () => {
  assert.equal(Version.tryParse("one"), null);
  assert.equal(String(Version.tryParse("1.0.0")), "1.0.0");
});
