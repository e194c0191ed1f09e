"use strict";

function slugify(text, { separator = "-", maxLength = Infinity } = {}) {
  const words = String(text)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  let slug = (words.shift() ?? "").slice(0, maxLength);
  for (const word of words) {
    if (slug.length + separator.length + word.length > maxLength) break;
    slug += separator + word;
  }
  return slug;
}

module.exports = { slugify };
