import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { search } from "../src/search.js";
import { ids, sampleBoard } from "./helpers.js";

describe("search", () => {
  it("finds words in titles", () => {
    assert.deepEqual(ids(search(sampleBoard(), "login")), [1, 3]);
  });

  it("needs every word", () => {
    assert.deepEqual(ids(search(sampleBoard(), "page TYPO")), [3]);
  });

  it("finds everything with nothing to look for", () => {
    assert.equal(search(sampleBoard(), "").length, 3);
  });
});
