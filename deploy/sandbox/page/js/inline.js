// Inline chat markdown: what may be inside a block.

import { el, linkOut } from "./dom.js";
import { timestamp } from "./time.js";

// Tried in this order at every place of the text; each is sticky. The first that
// matches and builds something wins, else the character stays as it is.
const RULES = [
  [/\\([\\*_~`|>#[\]()<:-])/y, (m) => m[1]],
  [/(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)/y, (m) => el("code", {}, m[2].trim() || m[2])],
  [/\*\*\*([\s\S]+?)\*\*\*(?!\*)/y, (m, go) => el("em", {}, el("strong", {}, go(m[1])))],
  [/\*\*([\s\S]+?)\*\*(?!\*)/y, (m, go) => el("strong", {}, go(m[1]))],
  [/__([\s\S]+?)__(?!_)/y, (m, go) => el("u", {}, go(m[1]))],
  [/~~([\s\S]+?)~~/y, (m, go) => el("s", {}, go(m[1]))],
  [/\|\|([\s\S]+?)\|\|/y, (m, go) => spoiler(go(m[1]))],
  [/\*(?!\s)([^*]*(?:\*\*[^*]+\*\*[^*]*)*[^*\s])\*(?!\*)/y, (m, go) => el("em", {}, go(m[1]))],
  [/_(?!\s)([^_]*[^_\s])_(?![\w])/y, (m, go) => el("em", {}, go(m[1]))],
  [/\[([^\]\n]+)\]\(<?(https?:\/\/[^\s<>)]+)>?(?:\s+"[^"]*")?\)/y, (m, go, names) => link(m[2], go(m[1], true), names)],
  [/<(https?:\/\/[^\s<>]+)>/y, (m, go, names) => link(m[1], m[1], names)],
  [/https?:\/\/[^\s<>]*[^\s<>.,:;"'\])!?*_~|]/y, (m, go, names) => link(m[0], m[0], names)],
  [/<t:(-?\d{1,13})(?::([tTdDfFR]))?>/y, (m) => timestamp(Number(m[1]), m[2] ?? "f")],
  [/<@!?(\d+)>/y, (m, go, names) => mention(`@${names?.users?.[m[1]] ?? "someone"}`, m[1], m[1] === names?.me)],
  [/<@&(\d+)>/y, (m, go, names) => mention(`@${names?.roles?.[m[1]]?.name ?? "role"}`, undefined, names?.roles?.[m[1]]?.mine)],
  [/<#(\d+)>/y, (m, go, names) => placeLink(m[1], undefined, placeName([null, m[1]], names))],
  [/<\/([\w -]{1,100}):(\d+)>/y, (m, go, names) => commandMention(m[1], m[2], names)],
  [/<a?(:\w{2,32}:)\d+>/y, (m) => m[1]],
  [/@(everyone|here)\b/y, (m) => mention(m[0])],
];

/**
 * Turn one paragraph's text into nodes.
 *
 * @param {string} text
 * @param {{users: Object, channels: Object, commands: Object}} names
 * @param {boolean} plain true inside a link's text: no links in links
 * @returns {(Node|string)[]}
 */
export function inline(text, names, plain = false) {
  const out = [];
  let waiting = "";
  let at = 0;
  const go = (inner, inLink = plain) => inline(inner, names, inLink);
  while (at < text.length) {
    const [node, length] = matchAt(text, at, go, names, plain);
    if (length) {
      if (waiting) out.push(waiting);
      waiting = "";
      out.push(node);
      at += length;
    } else {
      waiting += text[at];
      at += 1;
    }
  }
  if (waiting) out.push(waiting);
  return out;
}

function matchAt(text, at, go, names, plain) {
  // Most characters start nothing: only these can.
  if (!"\\`*_~|[<h@".includes(text[at])) return [null, 0];
  // snake_case stays as written.
  if (text[at] === "_" && at > 0 && /\w/.test(text[at - 1])) return [null, 0];
  for (const [pattern, build] of RULES) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) continue;
    const node = build(match, go, names);
    if (node === null || (plain && node.tagName === "A")) continue;
    return [node, match[0].length];
  }
  return [null, 0];
}

// The address of a place on Discord: here it leads to the same place in the sandbox.
const PLACE = /^https:\/\/discord\.com\/channels\/(?:\d+|@me)\/(\d+)(?:\/(\d+))?$/;

function link(address, text, names) {
  const place = PLACE.exec(address);
  if (place) return placeLink(place[1], place[2], text === address ? placeName(place, names) : text);
  return linkOut(address, {}, text);
}

/** Return the name of a place: a channel, or a message in it. */
export function placeName([, channel, message], names) {
  return `#${names?.channels?.[channel] ?? "a channel"}${message ? " › message" : ""}`;
}

function placeLink(channel, message, text) {
  return el("button", { type: "button", class: "mention", data: { jump: channel, jumpMessage: message } }, text);
}

function mention(text, person, isMe = false) {
  return el("span", { class: isMe ? "mention is-me" : "mention", data: { person } }, text);
}

function commandMention(name, id, names) {
  const label = names?.commands?.[`${name}:${id}`];
  // The command cannot be used here: show its name, with nothing to press.
  if (!label) return mention(`/${name}`);
  // A click puts the command into the composer; app.js listens for it.
  return el("button", { type: "button", class: "mention", data: { command: name } }, `/${label}`);
}

function spoiler(children) {
  const cover = el("button", { type: "button", class: "spoiler", "aria-label": "Spoiler: show" }, el("span", {}, children));
  cover.addEventListener("click", () => {
    cover.replaceWith(el("span", { class: "spoiler is-shown" }, [...cover.firstChild.childNodes]));
  });
  return cover;
}
