// What can be done with a message besides its own buttons: react, start a thread,
// commands of the context menu. Also the reactions that are there.

import { el, icon } from "./dom.js";
import { menuRow, menuTitle, openMenu, pick } from "./menu.js";

const QUICK = ["👍", "❤️", "😂", "🎉", "😮", "🤝"];

/** Build the opener of a message's menu; its contents are made when it is opened. */
export function messageMenu(message, scene) {
  const opener = el("button", {
    type: "button", class: "icon-button more", "aria-label": "More", "aria-haspopup": "menu", "aria-expanded": "false", data: { more: "" },
  }, icon("more"));
  opener.addEventListener("click", () => openMenu("This message", rows(scene), opener));
  return el("div", { class: "more-box" }, opener);
}

function rows(scene) {
  const { mayReact, startThread, commands } = scene.menu();
  const quick = QUICK.map((emoji) => {
    const node = el("button", { type: "button", role: "menuitem", class: "quick", "aria-label": `React with ${emoji}`, data: { emoji } }, emoji);
    node.addEventListener("click", () => pick(() => scene.react(emoji)));
    return node;
  });
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
    const node = el("button", { type: "button", class: "reaction", "aria-pressed": String(Boolean(me)), "aria-label": words, data: { reaction: emoji.name, path: `reaction.${emoji.name}` } },
      el("span", { class: "emoji" }, emoji.name), el("span", {}, String(count)));
    node.addEventListener("click", () => scene.react(emoji.name));
    return node;
  }));
}

/** Build the card that leads to a message's thread, null if it has none. */
export function threadCard(message, scene) {
  const { thread } = message;
  if (!thread) return null;
  const count = thread.message_count ?? 0;
  const node = el("button", { type: "button", class: "thread-card", data: { thread: thread.id, path: "thread" } }, icon("thread"),
    el("span", { class: "thread-name" }, thread.name),
    el("small", {}, thread.thread_metadata?.archived ? "closed" : `${count} ${count === 1 ? "message" : "messages"}`));
  node.addEventListener("click", () => scene.open(thread.id));
  return node;
}
