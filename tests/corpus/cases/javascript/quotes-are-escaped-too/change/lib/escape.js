"use strict";

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escape(value) {
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

module.exports = { escape };
