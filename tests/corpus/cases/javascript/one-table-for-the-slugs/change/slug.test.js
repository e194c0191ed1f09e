"use strict";

const { slugify } = require("./slug");
const { table } = require("./test/support/table");

table(slugify, [
  ["joins words with hyphens", "hello-world", "Hello World"],
  ["drops punctuation", "what-s-new-in-2-0", "What's new, in 2.0?"],
  ["takes another separator", "hello_big_world", "Hello big world", { separator: "_" }],
  ["nothing in, nothing out", "", " - "],
  ["keeps whole words", "hello-big", "Hello big world", { maxLength: 12 }],
  ["keeps what just fits", "hello-big-world", "Hello big world", { maxLength: 15 }],
  ["counts long separators", "a--b", "a b c", { separator: "--", maxLength: 6 }],
  ["cuts a first word that is too long", "extra", "Extraordinary things", { maxLength: 5 }],
]);
