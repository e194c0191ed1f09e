export function rgbToHsl(rgb) {
  const [r, g, b] = rgb.map((part) => part / 255);
  const max = Math.max(r, g, b);
  const min = Math.min(r, g, b);
  const span = max - min;
  const l = (max + min) / 2;
  let h = 0;
  if (span > 0) {
    if (max === r) h = ((g - b) / span + 6) % 6;
    else if (max === g) h = (b - r) / span + 2;
    else h = (r - g) / span + 4;
  }
  const s = span === 0 ? 0 : span / (1 - Math.abs(2 * l - 1));
  return [Math.round(h * 60), Math.round(s * 100), Math.round(l * 100)];
}

export function hslToRgb(_hsl) {
  throw new Error("not yet");
}
