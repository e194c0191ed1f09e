"use strict";

const { escape } = require("./escape.js");
const { lookup } = require("./lookup.js");

const EACH = /\{\{#each ([\w.]+)\}\}([^]*?)\{\{\/each\}\}/g;
const RAW = /\{\{\{ *([\w.]+) *\}\}\}/g;
const VALUE = /\{\{ *([\w.]+) *\}\}/g;

function render(template, data = {}) {
  return template
    .replace(EACH, (_, path, body) =>
      Array.from(lookup(data, path))
        .map((item) => render(body, item))
        .join(""),
    )
    .replace(RAW, (_, path) => String(lookup(data, path)))
    .replace(VALUE, (_, path) => escape(lookup(data, path)));
}

module.exports = { render };
