import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { initials, shorten, slugify } from "./strings.js";

describe("shorten", () => {
  it("keeps short text", () => assert.equal(shorten("tea", 5), "tea"));
  it("cuts long text", () => assert.equal(shorten("teapots", 4), "tea\u2026"));
});

describe("initials", () => {
  it("takes first letters", () => assert.equal(initials("ada lovelace"), "AL"));
});

describe("slugify", () => {
  it("joins words by hyphens", () => assert.equal(slugify("Hello, World!"), "hello-world"));
  it("has no loose hyphens", () => assert.equal(slugify("--a--"), "a"));
});
