import { Money } from "./money.js";

const amount = (line) => line.price.times(line.count);

export function subtotal(lines) {
  return lines.map(amount).reduce((sum, one) => sum.add(one), new Money(0));
}

export function total(lines, { taxPercent = 0 } = {}) {
  const taxed = lines.map((line) => amount(line).add(amount(line).times(taxPercent / 100)));
  return taxed.reduce((sum, one) => sum.add(one), new Money(0));
}

export function render(lines, options = {}) {
  const rows = lines.map((line) => `${String(line.count).padStart(3)} ${line.name.padEnd(16)} ${amount(line)}`);
  return [...rows, "-".repeat(32), `Total ${total(lines, options)}`, ""].join("\n");
}
