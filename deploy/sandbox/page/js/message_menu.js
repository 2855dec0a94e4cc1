// What can be done with a message besides its own buttons: react, start a thread,
// commands of the context menu. Also the reactions that are there.

import { el, icon, iconButton } from "./dom.js";
import { menuRow, menuTitle, openMenu, pick } from "./menu.js";

const QUICK = ["👍", "❤️", "😂", "🎉", "😮", "🤝"];

/** Build the opener of a message's menu; its contents are made when it is opened. */
export function messageMenu(message, scene) {
  const open = (event) => openMenu("This message", rows(scene), event.currentTarget);
  return el("div", { class: "more-box" },
    iconButton("more", "More", open, { class: "icon-button more", "aria-haspopup": "menu", "aria-expanded": "false", data: { more: "" } }));
}

function rows(scene) {
  const { mayReact, startThread, commands } = scene.menu();
  const quick = QUICK.map((emoji) => el("button", {
    type: "button", role: "menuitem", class: "quick", "aria-label": `React with ${emoji}`, data: { emoji }, on: { click: () => pick(() => scene.react(emoji)) },
  }, emoji));
  const all = [
    ...(mayReact ? [el("li", { role: "none", class: "quick-row" }, quick)] : []),
    ...(startThread ? [menuRow("Start a thread", startThread, { startThread: "" })] : []),
    ...commands,
  ];
  return all.length ? all : [menuTitle("Nothing can be done with this message")];
}

/** Build the reactions below a message, null if there are none. */
export function reactions(message, scene) {
  if (!message.reactions?.length) return null;
  return el("div", { class: "reactions" }, message.reactions.map(({ emoji, count, me }) => {
    const words = `${emoji.name}: ${count}${me ? ", yours too" : ""}`;
    return el("button", {
      type: "button", class: "reaction", "aria-pressed": String(Boolean(me)), "aria-label": words,
      data: { reaction: emoji.name, path: `reaction.${emoji.name}` }, on: { click: () => scene.react(emoji.name) },
    }, el("span", { class: "emoji" }, emoji.name), el("span", {}, String(count)));
  }));
}

/** Build the card that leads to a message's thread, null if it has none. */
export function threadCard({ thread }, scene) {
  if (!thread) return null;
  const count = thread.message_count ?? 0;
  const state = thread.thread_metadata?.archived ? "closed" : `${count} ${count === 1 ? "message" : "messages"}`;
  return threadButton(thread.id, scene, thread.name, el("small", {}, state));
}

/** Build a button that opens a thread. */
export function threadButton(id, scene, name, state = null) {
  return el("button", { type: "button", class: "thread-card", data: { thread: id, path: "thread" }, on: { click: () => scene.open(id) } },
    icon("thread"), el("span", { class: "thread-name" }, name), state);
}
