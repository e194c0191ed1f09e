export { render } from "./render.js";
export { subtotal, total } from "./totals.js";
