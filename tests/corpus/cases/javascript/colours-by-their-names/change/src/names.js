import { hexToRgb, rgbToHex } from "./hex.js";

/** The colours of HTML 4.01, section 6.5. */
export const NAMES = Object.freeze({
  aqua: "#00ffff",
  black: "#000000",
  blue: "#0000ff",
  fuchsia: "#ff00ff",
  gray: "#808080",
  green: "#008000",
  lime: "#00ff00",
  maroon: "#800000",
  navy: "#000080",
  olive: "#808000",
  purple: "#800080",
  red: "#ff0000",
  silver: "#c0c0c0",
  teal: "#008080",
  white: "#ffffff",
  yellow: "#ffff00",
});

const BY_HEX = new Map(Object.entries(NAMES).map(([name, hex]) => [hex, name]));

/** @param {string} text a name or hexadecimal digits */
export function parse(text) {
  const name = text.trim().toLowerCase();
  return hexToRgb(Object.hasOwn(NAMES, name) ? NAMES[name] : text);
}

/** @returns {string | undefined} */
export function nameOf(rgb) {
  return BY_HEX.get(rgbToHex(rgb));
}
