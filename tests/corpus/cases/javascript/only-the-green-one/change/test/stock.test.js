import assert from "node:assert/strict";
import test from "node:test";
import { Stock } from "../src/stock.js";

const anything = (below) => Math.floor(Math.random() * below);

test.only("adding counts up", () => {
  const stock = new Stock({ tea: 3 });
  stock.add("tea", 4);
  assert.equal(stock.counts.tea, 7);
});

test("reservations take what is there and no more", () => {
  for (let round = 0; round < 200; round += 1) {
    const have = anything(10);
    const want = anything(10);
    const stock = new Stock({ tea: have });
    assert.equal(stock.reserve("tea", want), want <= have);
    assert.equal(stock.counts.tea, want <= have ? have - want : have);
  }
});
