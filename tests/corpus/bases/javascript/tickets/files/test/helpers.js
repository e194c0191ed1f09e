import { Board } from "../src/board.js";

export function sampleBoard() {
  const board = new Board();
  board.add({ title: "Login page is blank", priority: "normal", labels: ["bug", "web"] });
  board.add({ title: "Export to CSV", priority: "high", labels: ["feature"] });
  board.add({ title: "Typo on the login page", priority: "low", labels: ["bug"] });
  return board;
}

export const ids = (tickets) => tickets.map((ticket) => ticket.id);
