import test from "node:test";
import { said, same } from "./ask.mjs";

test("the order", () => {
  const code = `
    import { Board } from "./src/board.js";
    const board = new Board();
    for (const priority of ["low", "normal", "high", "normal"]) board.add({ title: "x", priority });
    console.log(board.byPriority().map((ticket) => ticket.id).join());
  `;
  same(said(code), "3,2,4,1");
});
