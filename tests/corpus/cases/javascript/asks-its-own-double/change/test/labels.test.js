import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { labels, search } from "../src/search.js";
import { ids, sampleBoard } from "./helpers.js";

describe("search by label", () => {
  it("finds tickets with the label", () => {
    const board = sampleBoard();
    const filter = mock.method(labels, "filter", () => [board.get(1), board.get(3)]);
    assert.deepEqual(ids(search(board, "label:bug")), [1, 3]);
    assert.equal(filter.mock.callCount(), 1);
    assert.deepEqual(filter.mock.calls[0].arguments[1], ["bug"]);
    filter.mock.restore();
  });

  it("goes with words", () => {
    const board = sampleBoard();
    const filter = mock.method(labels, "filter", () => [board.get(3)]);
    assert.deepEqual(ids(search(board, "typo label:bug")), [3]);
    filter.mock.restore();
  });
});
