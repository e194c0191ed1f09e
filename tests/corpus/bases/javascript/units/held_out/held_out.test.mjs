import test from "node:test";
import { said, same } from "./ask.mjs";

test("the new module", () => {
  const code = `
    import { celsiusToFahrenheit, fahrenheitToCelsius } from "./src/temperature.js";
    console.log(celsiusToFahrenheit(21.37), fahrenheitToCelsius(70), fahrenheitToCelsius(-40));
  `;
  same(said(code), '70.5 21.1 -40');
});

test("the old names", () => {
  const code = `
    import { celsiusToFahrenheit, fahrenheitToCelsius, kmToMiles } from "./src/units.js";
    console.log(celsiusToFahrenheit(0.33), fahrenheitToCelsius(99), kmToMiles(5));
  `;
  same(said(code), '32.6 37.2 3.11');
});
