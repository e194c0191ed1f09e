import test from "node:test";
import { said, same } from "./ask.mjs";

test("both modules", () => {
  const code = `
    import * as temperature from "./src/temperature.js";
    import { kmToMiles } from "./src/distance.js";
    console.log(temperature.celsiusToFahrenheit(1.5), temperature.fahrenheitToCelsius(90), kmToMiles(10));
  `;
  same(said(code), '34.7 32.2 6.21');
});
