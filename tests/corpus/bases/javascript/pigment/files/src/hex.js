export function hexToRgb(text) {
  const found = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text.trim());
  if (!found) throw new SyntaxError(`not a colour: ${text}`);
  const digits = found[1].length === 3 ? found[1].replace(/./g, "$&$&") : found[1];
  return [0, 2, 4].map((start) => Number.parseInt(digits.slice(start, start + 2), 16));
}

export function rgbToHex(rgb) {
  return `#${rgb.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
