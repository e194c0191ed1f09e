// https://no-color.org
export function coloured(env, stream) {
  if (env.NO_COLOR) return false;
  return Boolean(env.FORCE_COLOR || stream.isTTY);
}

export function row({ id, priority, title }, colour = false) {
  const text = `#${id} [${priority}] ${title}`;
  return colour && priority === "high" ? `\u001b[31m${text}\u001b[0m` : text;
}
