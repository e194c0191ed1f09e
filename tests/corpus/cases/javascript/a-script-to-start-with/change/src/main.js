import { Stock } from "./stock.js";

export function main(words, print = console.log) {
  if (words.length === 0) return 2;
  const stock = new Stock();
  for (const word of words) stock.add(word, 1);
  print(stock.report().join("\n"));
  return 0;
}

if (process.argv[1] === import.meta.filename) process.exit(main(process.argv.slice(2)));
