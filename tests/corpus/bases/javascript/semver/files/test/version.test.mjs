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
