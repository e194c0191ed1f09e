import test from "node:test";
import { said, same } from "./ask.mjs";

test("labels", () => {
  const code = `
    import { Board } from "./src/board.js";
    import { search } from "./src/search.js";
    const board = new Board();
    board.add({ title: "One thing", labels: ["x"] });
    board.add({ title: "Other thing", labels: ["y"] });
    board.add({ title: "Third", labels: ["x", "y"] });
    console.log(["label:x", "thing label:y", "label:z"].map((q) => search(board, q).map((t) => t.id).join()).join("|"));
  `;
  same(said(code), "1,3|2|");
});
