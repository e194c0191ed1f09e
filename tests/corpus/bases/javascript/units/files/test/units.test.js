import assert from "node:assert/strict";
import test from "node:test";
import { celsiusToFahrenheit, fahrenheitToCelsius, kmToMiles } from "../src/units.js";

test("celsius", () => assert.equal(celsiusToFahrenheit(36.6), 97.9));

test("fahrenheit", () => assert.equal(fahrenheitToCelsius(100), 37.8));

test("distance", () => assert.equal(kmToMiles(42.195), 26.22));
