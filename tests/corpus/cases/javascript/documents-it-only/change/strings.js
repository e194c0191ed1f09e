export function shorten(text, width) {
  return text.length <= width ? text : `${text.slice(0, width - 1)}\u2026`;
}

// export function slugify(text) {
//   return text.toLowerCase();
// }

export function initials(name) {
  return name.split(/\s+/).map((word) => word[0].toUpperCase()).join("");
}
