import { amount, total } from "./totals.js";

export function render(lines, options = {}) {
  const rows = lines.map((line) => `${String(line.count).padStart(3)} ${line.name.padEnd(16)} ${amount(line)}`);
  return [...rows, "-".repeat(32), `Total ${total(lines, options)}`, ""].join("\n");
}
