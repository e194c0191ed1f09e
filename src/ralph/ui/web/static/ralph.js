// The dashboard's only script. What the server sends is made of elements and texts, never of HTML.
"use strict";

const KEY = "ralph-key";
const SVG = "http://www.w3.org/2000/svg";
const TAGS = new Set(("a article b caption code dd desc details div dl dt figcaption figure form g h2 h3 " +
  "input label li line ol p path pre progress rect section span summary svg table tbody td text " +
  "th thead time title tr ul button").split(" "));
const PLAIN = new Set(("class id type name value max min for method role scope tabindex required " +
  "maxlength autocomplete title datetime d x y x1 x2 y1 y2 rx width height viewBox").split(" "));

// Building

function isSafe(name, value) {
  if (name === "href" || name === "action") return /^[/#](?!\/)/.test(value);
  return PLAIN.has(name) || /^(aria|data)-[a-z-]+$/.test(name);
}

function make(tree, space) {
  if (typeof tree === "string") return document.createTextNode(tree);
  const [tag, attributes, ...children] = tree;
  if (!TAGS.has(tag)) return document.createTextNode("");
  const inside = tag === "svg" ? SVG : space;
  const node = inside ? document.createElementNS(inside, tag) : document.createElement(tag);
  setAll(node, attributes);
  for (const child of children) node.append(make(child, inside));
  return node;
}

function setAll(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (isSafe(name, value) && node.getAttribute(name) !== value) node.setAttribute(name, value);
  }
}

// Bringing up to date: what is there stays, with its focus, what was typed and what was opened.

function fits(node, tree) {
  if (typeof tree === "string") return node.nodeType === Node.TEXT_NODE;
  return node.nodeType === Node.ELEMENT_NODE && node.localName === tree[0] &&
    node.id === (tree[1].id || "");
}

function update(node, tree) {
  if (typeof tree === "string") {
    if (node.data !== tree) node.data = tree;
    return;
  }
  const [, attributes, ...children] = tree;
  for (const { name } of [...node.attributes]) {
    if (!(name in attributes) && name !== "open") node.removeAttribute(name);
  }
  setAll(node, attributes);
  updateInside(node, children);
}

function updateInside(parent, trees) {
  const space = parent.namespaceURI === SVG ? SVG : undefined;
  let at = parent.firstChild;
  for (const tree of trees) {
    const id = typeof tree === "string" ? "" : tree[1].id || "";
    const found = (id && [...parent.children].find((one) => one.id === id)) || at;
    if (found && fits(found, tree)) {
      if (found === at) at = at.nextSibling;
      else parent.insertBefore(found, at);
      update(found, tree);
    } else {
      parent.insertBefore(make(tree, space), at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

function show(regions) {
  const feed = document.querySelector(".feed");
  const atEnd = feed && feed.scrollTop + feed.clientHeight >= feed.scrollHeight - 8;
  for (const [name, tree] of Object.entries(regions)) {
    const node = document.getElementById(name);
    if (node) update(node, tree);
    else document.getElementById("main").append(make(tree));
  }
  afterwards(atEnd);
}

function afterwards(atEnd) {
  const feed = document.querySelector(".feed");
  if (feed && atEnd) feed.scrollTop = feed.scrollHeight;
  const count = document.getElementById("needs")?.dataset.count;
  const title = document.title.replace(/^\(\d+\) /, "");
  document.title = count ? `(${count}) ${title}` : title;
  tick();
}

// Time that runs

function tick() {
  for (const node of document.querySelectorAll("[data-since]")) {
    const all = Math.max(0, Math.floor(Date.now() / 1000 - Number(node.dataset.since)));
    const [h, m, s] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
    const two = (n) => String(n).padStart(2, "0");
    const text = `for ${h ? `${h}:${two(m)}` : m}:${two(s)}`;
    if (node.textContent !== text) node.textContent = text;
  }
}

// The stream: only while the page is seen, since browsers open six connections to a host at most.

let stream = null;

function line(text, tone) {
  const node = document.getElementById("line");
  if (!node) return;
  node.textContent = text;
  node.className = `line ${tone}`;
}

function listen() {
  const where = document.body.dataset.live;
  if (!where || document.hidden || stream) return;
  stream = new EventSource(where);
  stream.onopen = () => line("live", "good");
  stream.onmessage = (event) => show(JSON.parse(event.data));
  stream.onerror = () => {
    const gone = stream.readyState === EventSource.CLOSED;
    line(gone ? "not live: open the link of `ralph serve` again" : "connecting…", "warn");
  };
}

function stopListening() {
  stream?.close();
  stream = null;
}

// Asking for something

function say(text, tone) {
  const told = document.getElementById("told");
  told.textContent = text;
  told.className = `told ${tone} shown`;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => told.classList.remove("shown"), 12000);
}

async function post(where, body) {
  const headers = { "Content-Type": "application/json" };
  const key = localStorage.getItem(KEY);
  if (key) headers["X-Ralph-Key"] = key;
  const options = { method: "POST", headers, body: JSON.stringify(body), credentials: "same-origin" };
  try {
    const answer = await fetch(where, options);
    return await answer.json();
  } catch {
    return { error: "`ralph serve` does not answer. Nothing was changed." };
  }
}

async function ask(form) {
  const buttons = form.querySelectorAll("button");
  for (const one of buttons) one.disabled = true;
  say("One moment…", "");
  const told = await post(form.getAttribute("action"), Object.fromEntries(new FormData(form)));
  for (const one of buttons) one.disabled = false;
  say(told.error || told.told, told.error ? "bad" : "good");
  if (!told.error) form.reset();
}

async function signIn(token) {
  const told = await post("/session", { token });
  if (told.error) {
    say(told.error, "bad");
    return;
  }
  localStorage.setItem(KEY, told.key);
  location.reload();
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  event.preventDefault();
  if (form.id === "sign-in") signIn(form.elements.token.value.trim());
  else ask(form);
});

document.addEventListener("visibilitychange", () => (document.hidden ? stopListening() : listen()));
addEventListener("pagehide", stopListening);

const given = /^#token=([\w-]+)$/.exec(location.hash);
if (given) {
  history.replaceState(null, "", location.pathname + location.search);
  signIn(given[1]);
} else {
  afterwards(true);
  setInterval(tick, 1000);
  listen();
}
