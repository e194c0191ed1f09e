// Tickets whose title has every word of the query.
export function search(board, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return board.all().filter((ticket) => words.every((word) => ticket.title.toLowerCase().includes(word)));
}
