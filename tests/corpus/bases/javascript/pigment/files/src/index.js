export { hexToRgb, rgbToHex } from "./hex.js";
export { hslToRgb, rgbToHsl } from "./hsl.js";
