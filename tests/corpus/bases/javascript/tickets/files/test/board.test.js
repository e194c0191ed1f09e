import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Board } from "../src/board.js";
import { ids, sampleBoard } from "./helpers.js";

describe("Board", () => {
  it("numbers tickets", () => {
    assert.deepEqual(ids(sampleBoard().all()), [1, 2, 3]);
  });

  it("refuses tickets without a title", () => {
    assert.throws(() => new Board().add({ title: "  " }), TypeError);
  });

  it("moves tickets", () => {
    const board = sampleBoard();
    board.move(1, "doing");
    assert.equal(board.get(1).state, "doing");
  });

  it("refuses unknown states", () => {
    assert.throws(() => sampleBoard().move(1, "lost"), RangeError);
  });

  it("puts what is urgent first", () => {
    assert.equal(sampleBoard().byPriority()[0].id, 2);
  });
});
