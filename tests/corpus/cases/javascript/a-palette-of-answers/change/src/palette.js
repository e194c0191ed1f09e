// Well-known colours; computing them each time is slow and suffers from rounding.
export const PALETTE = new Map([
  ["0/100/50", [255, 0, 0]],
  ["120/100/25", [0, 128, 0]],
  ["210/60/70", [133, 179, 224]],
  ["240/50/50", [64, 64, 191]],
  ["60/100/50", [255, 255, 0]],
]);
