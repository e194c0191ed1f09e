export const PRIORITIES = ["high", "normal", "low"];
export const STATES = ["open", "doing", "done"];

export function createTicket(id, { title, priority = "normal", labels = [] }) {
  if (!title?.trim()) throw new TypeError("a ticket needs a title");
  if (!PRIORITIES.includes(priority)) throw new RangeError(`unknown priority: ${priority}`);
  return { id, title: title.trim(), priority, labels: [...labels], state: "open" };
}
