// Building elements. Text only ever becomes text nodes: nothing in this page
// parses a string as HTML, so message content cannot turn into markup.

/**
 * Make an element.
 *
 * @param {string} tag
 * @param {Object} props `class`, `data` (dataset), `on` (listeners), `style`
 *   (CSS properties), anything else is an attribute; `false`, `null` and
 *   `undefined` leave it out, `true` sets it empty.
 * @param {...(Node|string|null|undefined|Array)} children
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) setProp(node, name, value);
  node.append(...children.flat(3).filter((child) => child !== null && child !== undefined));
  return node;
}

function setProp(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "class") node.className = value;
  else if (name === "data") {
    for (const [key, item] of Object.entries(value)) if (item !== undefined) node.dataset[key] = item;
  } else if (name === "style") {
    // Set through the object model: the page's policy refuses style attributes.
    for (const [key, item] of Object.entries(value)) node.style.setProperty(key, item);
  } else if (name === "on") {
    for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
  } else node.setAttribute(name, value === true ? "" : String(value));
}

const PATHS = {
  hash: "M10 4 8 20M16 4l-2 16M5 9h15M4 15h15",
  thread: "M6 4v9a4 4 0 0 0 4 4h8M14 13l4 4-4 4",
  down: "m6 9 6 6 6-6",
  check: "m5 12 5 5 9-10",
  out: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  close: "M6 6l12 12M18 6 6 18",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12Zm10-3a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z",
  slash: "M15 4 9 20",
  send: "M4 12 20 4l-5 16-4-7-7-1Z",
  file: "M6 3h8l5 5v13H6ZM14 3v5h5",
  warn: "M12 4 2.5 20h19L12 4Zm0 6v4m0 3v.2",
  chat: "M4 5h16v11H10l-5 4v-4H4Z",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  bell: "M6 16v-5a6 6 0 0 1 12 0v5l1.5 2h-15ZM10 21h4",
  reply: "M4 18v-4a5 5 0 0 1 5-5h10M15 5l4 4-4 4",
};

/** Make one of the page's own line icons; it is decoration and never spoken. */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** Make a button that shows only an icon; `words` are its name, `props` further ones. */
export function iconButton(name, words, click, props = {}) {
  return el("button", { type: "button", class: "icon-button", "aria-label": words, on: { click }, ...props }, icon(name));
}

/** Make a link that leads away from the page; without `href` it leads nowhere. */
export function linkOut(href, props, ...children) {
  return el("a", { href, target: "_blank", rel: "noopener noreferrer nofollow", ...props }, ...children);
}

/** Return the style of a frame with an accent in this colour, if it has one. */
export function accent(colour) {
  return typeof colour === "number" ? { "--accent-line": `#${colour.toString(16).padStart(6, "0")}` } : {};
}

/**
 * Make another row of a list the active one, counting around its ends, and return its index.
 * `owner` is the element that has the focus meanwhile.
 */
export function activate(rows, before, index, owner) {
  rows[before]?.classList.remove("is-active");
  const active = (index + rows.length) % rows.length;
  rows[active].classList.add("is-active");
  rows[active].scrollIntoView({ block: "nearest" });
  owner.setAttribute("aria-activedescendant", rows[active].id);
  return active;
}

/** The same where the active row counts as the selected one. */
export function select(rows, before, index, owner) {
  rows[before]?.setAttribute("aria-selected", "false");
  const active = activate(rows, before, index, owner);
  rows[active].setAttribute("aria-selected", "true");
  return active;
}

/** Three breathing dots: something is in progress. */
export function dots() {
  return el("span", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i"));
}

let lastId = 0;

/** Return an id that no other element of this page has. */
export function freshId(stem) {
  lastId += 1;
  return `${stem}-${lastId}`;
}

// Hues spread around the circle, dark enough for white letters in both schemes.
const AVATAR_COLOURS = ["#7a3e9d", "#9c4221", "#2f6b3c", "#1f5f99", "#99335c", "#6b5b12", "#3d4db3", "#0b6b6b"];

/** Make a round picture of a person's initials, coloured by their id. */
export function avatar(user) {
  const words = displayName(user).split(/\s+/).filter(Boolean);
  const initials = (words.length > 1 ? [words[0], words.at(-1)] : words).map((word) => [...word][0]);
  let sum = 0;
  for (const digit of String(user.id)) sum = (sum * 31 + digit.charCodeAt(0)) % 9973;
  const colour = AVATAR_COLOURS[sum % AVATAR_COLOURS.length];
  const style = { "--colour": user.bot ? "var(--tag)" : colour };
  return el("span", { class: user.bot ? "avatar is-bot" : "avatar", style, "aria-hidden": "true" },
    initials.join("").toUpperCase() || "?");
}

/** Return the name a person is shown under. */
export function displayName(user) {
  return user.global_name || user.name || user.username || "Someone";
}

/** Return the path of a picture or file of this same server, else null. */
export function ownUrl(text) {
  let url;
  try {
    url = new URL(text, location.href);
  } catch {
    return null;
  }
  const loopback = ["127.0.0.1", "localhost", "[::1]"];
  // The same server may be written in three ways; the page is open under one of them.
  const same = loopback.includes(url.hostname) && loopback.includes(location.hostname);
  if (!same || url.port !== location.port || !/^https?:$/.test(url.protocol)) return null;
  return url.pathname + url.search;
}
