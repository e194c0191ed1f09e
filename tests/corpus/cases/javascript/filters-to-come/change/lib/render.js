"use strict";

const { escape } = require("./escape.js");
const { applyFilters } = require("./filters.js");
const { lookup } = require("./lookup.js");

const EACH = /\{\{#each ([\w.]+)\}\}([^]*?)\{\{\/each\}\}/g;
const RAW = /\{\{\{ *([\w.]+) *\}\}\}/g;
const VALUE = /\{\{ *([\w.]+) *((?:\| *\w+ *)*)\}\}/g;

function render(template, data = {}) {
  return template
    .replace(EACH, (_, path, body) =>
      Array.from(lookup(data, path))
        .map((item) => render(body, item))
        .join(""),
    )
    .replace(RAW, (_, path) => String(lookup(data, path)))
    .replace(VALUE, (_, path, filters) => {
      const names = filters.split("|").map((name) => name.trim()).filter(Boolean);
      return escape(applyFilters(lookup(data, path), names));
    });
}

module.exports = { render };
