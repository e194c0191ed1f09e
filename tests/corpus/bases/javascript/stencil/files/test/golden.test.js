"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const { render } = require("../lib/render.js");

const folder = path.join(__dirname, "golden");
const read = (name) => fs.readFileSync(path.join(folder, name), "utf8");

for (const name of fs.readdirSync(folder).filter((file) => file.endsWith(".tmpl"))) {
  const stem = path.basename(name, ".tmpl");
  test(`golden: ${stem}`, () => {
    assert.equal(render(read(name), JSON.parse(read(`${stem}.json`))), read(`${stem}.html`));
  });
}
