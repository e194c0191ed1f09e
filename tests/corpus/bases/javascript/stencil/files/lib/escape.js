"use strict";

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function escape(value) {
  return String(value).replace(/[&<>]/g, (character) => ENTITIES[character]);
}

module.exports = { escape };
