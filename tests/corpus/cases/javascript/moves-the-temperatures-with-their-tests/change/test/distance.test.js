import assert from "node:assert/strict";
import test from "node:test";
import { kmToMiles } from "../src/distance.js";

test("distance", () => assert.equal(kmToMiles(42.195), 26.22));
