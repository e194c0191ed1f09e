"use strict";

const DECIMALS = { EUR: 2, USD: 2, JPY: 0, KWD: 3 };

function decimals(code) {
  if (!(code in DECIMALS)) throw new RangeError(`Unknown currency ${code}`);
  return DECIMALS[code];
}

module.exports = { decimals };
