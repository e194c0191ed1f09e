"use strict";

function slugify(text, { separator = "-" } = {}) {
  return String(text)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join(separator);
}

module.exports = { slugify };
