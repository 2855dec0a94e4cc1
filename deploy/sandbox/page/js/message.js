// One message -> elements: who, when, in answer to what, and its content.

import { buildAll, file } from "./components.js";
import { avatar, displayName, dots, el, icon } from "./dom.js";
import { embed } from "./embeds.js";
import { markdown } from "./markdown.js";
import { messageMenu, reactions, threadButton, threadCard } from "./message_menu.js";
import { picture } from "./pictures.js";
import { formatSent } from "./time.js";
import { EPHEMERAL, summary } from "./words.js";

const LOADING = 1 << 7;
const SUPPRESS_EMBEDS = 1 << 2;
const THREAD_CREATED = 18;
const SYSTEM_TEXT = { 18: "started a thread.", 6: "pinned a message.", 21: "opened this thread." };

/**
 * Build the inside of a message.
 *
 * @param {Object} message as the API has it
 * @param {Object} scene what components need (components.js), and `dismiss`
 * @returns {Node[]}
 */
export function messageParts(message, scene) {
  return [
    usedLine(message, scene),
    el("div", { class: "message-side", data: { person: message.author.id } }, avatar(message.author),
      el("time", { class: "side-time", datetime: message.timestamp, "aria-hidden": "true" }, formatSent(message.timestamp))),
    el("div", { class: "message-main" }, header(message), body(message, scene),
      scene.pings ? el("p", { class: "pinged" }, icon("bell"), "This message pinged you") : null,
      reactions(message, scene), threadCard(message, scene),
      el("p", { class: "failure", role: "alert", hidden: true }), message.flags & EPHEMERAL ? whisperLine(scene) : null),
    messageMenu(message, scene),
  ];
}

function header(message) {
  const tag = message.author.bot ? el("span", { class: "tag" }, "APP") : null;
  return el("div", { class: "message-head" },
    el("button", { type: "button", class: "author", "aria-haspopup": "menu", "aria-expanded": "false", data: { person: message.author.id, path: "author" } }, displayName(message.author)), tag,
    el("time", { class: "sent", datetime: message.timestamp, title: new Date(message.timestamp).toLocaleString() },
      formatSent(message.timestamp)));
}

// "Ann used /play" above an answer to a command, or the message replied to.
function usedLine(message, scene) {
  const origin = message.interaction_metadata;
  if (origin?.user && origin.type === 2) {
    return el("div", { class: "used" }, icon("reply"), avatar(origin.user),
      el("span", {}, el("b", {}, displayName(origin.user)), " used ",
        el("span", { class: "used-command" }, `/${origin.name ?? "a command"}`)));
  }
  const earlier = message.referenced_message;
  if (!earlier) return null;
  const text = summary(earlier).slice(0, 120);
  return el("div", { class: "used" }, icon("reply"), avatar(earlier.author),
    el("span", {}, el("b", {}, displayName(earlier.author)), " ", el("span", { class: "used-text" }, text)));
}

function body(message, scene) {
  const parts = el("div", { class: "components", data: { body: "" } });
  if (message.flags & LOADING) {
    parts.append(el("p", { class: "thinking", data: { thinking: "" } }, dots(), ` ${displayName(message.author)} is thinking…`));
    return parts;
  }
  if (SYSTEM_TEXT[message.type]) parts.append(el("p", { class: "system" }, SYSTEM_TEXT[message.type]));
  if (message.type === THREAD_CREATED) parts.append(threadButton(message.message_reference?.channel_id, scene, message.content));
  else if (message.content) parts.append(content(message, scene));
  for (const [index, item] of (message.attachments ?? []).entries()) {
    parts.append(attachment(item, `attachment.${index}`, scene));
  }
  if (!(message.flags & SUPPRESS_EMBEDS)) {
    (message.embeds ?? []).forEach((item, index) => parts.append(embed(item, `embed.${index}`, scene)));
  }
  parts.append(...buildAll(message.components ?? [], scene));
  if (!parts.childNodes.length) parts.append(el("p", { class: "system" }, "(an empty message)"));
  return parts;
}

function content(message, scene) {
  const node = el("div", { class: "text" }, markdown(message.content, scene.names));
  if (message.edited_timestamp) node.lastElementChild?.append(el("small", { class: "edited" }, " (edited)"));
  return node;
}

function attachment(item, path, scene) {
  if (!item.content_type?.startsWith("image/")) return file(item);
  return el("div", { class: "gallery", data: { count: "1" } },
    picture({ media: item, description: item.description }, path, scene, "gallery"));
}

function whisperLine(scene) {
  return el("p", { class: "whisper" }, icon("eye"), el("span", {}, "Only you can see this"), " · ",
    el("button", { type: "button", class: "text-button", data: { dismiss: "" }, on: { click: () => scene.dismiss() } }, "Dismiss message"));
}
