import test from "node:test";
import { said, same } from "./ask.mjs";

test("comparisons", () => {
  const code = `
    import { Version } from "./version.mjs";
    const [a, b] = ["1.2.3", "1.12.0"].map(Version.parse);
    console.log(a < b, b < a, a > b, b > a);
  `;
  same(said(code), "true false false true");
});
