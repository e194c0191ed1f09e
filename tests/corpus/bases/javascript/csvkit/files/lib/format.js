"use strict";

function quote(value) {
  const text = String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function format(rows) {
  return rows.map((row) => `${row.map(quote).join(",")}\n`).join("");
}

module.exports = { format };
