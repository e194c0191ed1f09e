import assert from "node:assert/strict";
import test from "node:test";
import { celsiusToFahrenheit, fahrenheitToCelsius } from "../src/temperature.js";

test("celsius", () => assert.equal(celsiusToFahrenheit(36.6), 97.9));

test("fahrenheit", () => assert.equal(fahrenheitToCelsius(100), 37.8));
