import { createTicket, STATES } from "./ticket.js";

export class Board {
  #tickets = new Map();
  #next = 1;

  add(fields) {
    const ticket = createTicket(this.#next, fields);
    this.#tickets.set(ticket.id, ticket);
    this.#next += 1;
    return ticket;
  }

  get(id) {
    const ticket = this.#tickets.get(id);
    if (!ticket) throw new RangeError(`no ticket ${id}`);
    return ticket;
  }

  all() {
    return [...this.#tickets.values()];
  }

  move(id, state) {
    if (!STATES.includes(state)) throw new RangeError(`unknown state: ${state}`);
    this.get(id).state = state;
  }

  byPriority() {
    return this.all().sort((a, b) => a.priority.localeCompare(b.priority));
  }
}
