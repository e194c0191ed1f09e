export { hexToRgb, rgbToHex } from "./hex.js";
export { hslToRgb, rgbToHsl } from "./hsl.js";
export { NAMES, nameOf, parse } from "./names.js";
