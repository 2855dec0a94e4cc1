// What can be done with a message besides its own buttons: react, start a thread,
// commands of the context menu. Also the reactions that are there.

import { displayName, el, icon } from "./dom.js";

const QUICK = ["👍", "❤️", "😂", "🎉", "😮", "🤝"];

/** Build the opener of a message's menu; its contents are made when it is opened. */
export function messageMenu(message, scene) {
  const opener = el("button", {
    type: "button", class: "icon-button more", "aria-label": "More", "aria-haspopup": "menu", "aria-expanded": "false", data: { more: "" },
  }, icon("more"));
  const box = el("div", { class: "more-box" }, opener);
  opener.addEventListener("click", () => (box.querySelector(".more-menu") ? close(box) : open(box, message, scene)));
  box.addEventListener("keydown", (event) => onKey(box, event));
  return box;
}

function open(box, message, scene) {
  const parts = scene.menu();
  const pick = (act) => () => {
    close(box);
    act();
  };
  const entry = (words, act, hook) => {
    const node = el("button", { type: "button", role: "menuitem", class: "more-row", data: hook }, words);
    node.addEventListener("click", pick(act));
    return el("li", { role: "none" }, node);
  };
  const quick = QUICK.map((emoji) => {
    const node = el("button", { type: "button", role: "menuitem", class: "quick", "aria-label": `React with ${emoji}`, data: { emoji } }, emoji);
    node.addEventListener("click", pick(() => scene.react(emoji)));
    return node;
  });
  const group = (title, commands) => (commands.length ? [el("li", { role: "none", class: "more-title" }, title),
    ...commands.map((command) => entry(command.label, command.run, { menuCommand: command.name }))] : []);
  const rows = [
    ...(parts.startThread ? [entry("Start a thread", parts.startThread, { startThread: "" })] : []),
    ...group("With this message", parts.ofMessage),
    ...group(`With ${displayName(message.author)}`, parts.ofAuthor),
  ];
  const menu = el("ul", { class: "more-menu", role: "menu", "aria-label": "This message" },
    parts.mayReact ? el("li", { role: "none", class: "quick-row" }, quick) : null, rows);
  if (!menu.childNodes.length) menu.append(el("li", { class: "more-title" }, "Nothing can be done with this message"));
  box.append(menu);
  // Above, where the list of messages ends below.
  const room = box.closest(".scroller").getBoundingClientRect().bottom - box.getBoundingClientRect().bottom;
  menu.classList.toggle("is-above", menu.offsetHeight > room);
  box.querySelector(".more").setAttribute("aria-expanded", "true");
  menu.querySelector("button")?.focus();
  box.outside = (event) => box.contains(event.target) || close(box);
  document.addEventListener("pointerdown", box.outside);
}

function close(box) {
  document.removeEventListener("pointerdown", box.outside);
  const menu = box.querySelector(".more-menu");
  const hadFocus = menu?.contains(document.activeElement);
  menu?.remove();
  const opener = box.querySelector(".more");
  opener.setAttribute("aria-expanded", "false");
  if (hadFocus) opener.focus();
}

function onKey(box, event) {
  const items = [...box.querySelectorAll(".more-menu button")];
  if (!items.length) return;
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (event.key === "Escape") close(box);
  else if (step) {
    event.preventDefault();
    items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
  }
}

/** Build the reactions below a message, null where there are none. */
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

/** Build the way to a message's thread, null where it has none. */
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
