import test from "node:test";
import { said, same } from "./ask.mjs";

test("line ends", () => {
  const code = `
    import csv from "./lib/index.js";
    const texts = ['x,"1\\n2"\\r\\ny,z', '"p ""q""\\r\\n",r\\n', '\\n\\n', 'a\\rb\\n', ',\\n', 'a,b\\r\\n\\r\\nc,d'];
    console.log(JSON.stringify(texts.map(csv.parse)), JSON.stringify(csv.parseObjects('k,"l\\nm"\\r\\n1,2')));
  `;
  same(said(code), String.raw`[[["x","1\n2"],["y","z"]],[["p \"q\"\r\n","r"]],[],[["a\rb"]],[["",""]],[["a","b"],["c","d"]]] [{"k":"1","l\nm":"2"}]`);
});
