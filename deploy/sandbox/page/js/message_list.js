// The messages of the open channel: kept in order, redrawn one at a time,
// with scrolling and focus that stay where the reader has them.

import { announce } from "./announce.js";
import { el } from "./dom.js";
import { messageParts } from "./message.js";
import { whenReleased } from "./press.js";
import { Scroll } from "./scroll.js";
import { EPHEMERAL, spokenMessage } from "./words.js";

const GROUP_MS = 7 * 60 * 1000;

export class MessageList {
  /**
   * @param {Object} hooks `scene(message)` for what components need,
   *   `welcome()` the element above the first message
   */
  constructor(hooks) {
    this.hooks = hooks;
    this.list = document.getElementById("messages");
    this.entries = new Map(); // message id -> {message, node, pictures}
    this.scroll = new Scroll(document.getElementById("scroller"), document.getElementById("jump"), this.list);
  }

  /** Replace everything, as when a channel is opened. */
  showAll(messages) {
    const keep = new Set(messages.map((message) => message.id));
    for (const [id, entry] of [...this.entries]) {
      if (!keep.has(id)) this.drop(id, entry);
    }
    const welcome = this.hooks.welcome();
    if (this.list.firstChild !== welcome) {
      this.list.querySelector(".welcome")?.remove();
      this.list.prepend(welcome);
    }
    const isFirst = this.entries.size === 0;
    for (const message of messages) {
      const known = this.entries.get(message.id);
      // After a reconnection most are as they were: leave those alone.
      if (!known || JSON.stringify(known.message) !== JSON.stringify(message)) this.put(message);
    }
    this.regroup();
    if (!isFirst) return;
    if (messages.length) this.scroll.toEnd();
    else this.scroll.toStart();
  }

  /** Forget everything: another channel or user. */
  clear() {
    this.entries.clear();
    this.list.replaceChildren();
  }

  /** Show a new message and announce it. */
  add(message) {
    if (this.entries.has(message.id)) {
      this.update(message);
      return;
    }
    // The user's own messages, and answers to their commands, are followed from anywhere.
    const { me } = this.hooks.scene(message);
    const follow = this.scroll.isAtEnd() || [message.author.id, message.interaction_metadata?.user?.id].includes(me);
    this.put(message);
    this.regroup();
    announce(spokenMessage(message));
    this.scroll.grew(follow);
  }

  /** Show a message's new state in the place of its old one. */
  update(message) {
    if (!this.entries.has(message.id)) return; // older than what this window loaded
    const before = spokenMessage(this.entries.get(message.id).message);
    this.list.querySelector("[data-note='hint']")?.remove();
    this.put(message);
    this.regroup();
    const now = spokenMessage(message);
    if (now !== before) announce(now);
  }

  /** Scroll to a message and focus it. */
  show(id) {
    const entry = this.entries.get(id);
    if (!entry) return; // deleted, or older than what this window loaded
    this.scroll.leaveEnd();
    entry.node.tabIndex = -1;
    entry.node.scrollIntoView({ block: "center" });
    entry.node.focus({ preventScroll: true });
  }

  /** Take a message away. */
  remove(id) {
    const entry = this.entries.get(id);
    if (!entry) return;
    const holdsFocus = entry.node.contains(document.activeElement);
    this.drop(id, entry);
    this.regroup();
    if (holdsFocus) document.getElementById("composer-input")?.focus();
  }

  /** Show a line that is not a message: for example, that a command is pending or has failed. */
  addNote(node) {
    whenReleased(() => {
      this.list.append(node);
      this.scroll.toEnd();
    });
  }

  drop(id, entry) {
    entry.node.remove();
    this.entries.delete(id);
  }

  put(message) {
    const known = this.entries.get(message.id);
    const entry = known ?? { node: el("li", { class: "message", data: { messageId: message.id } }), pictures: new Map() };
    const scene = { ...this.hooks.scene(message), earlier: entry.pictures, pictures: new Map() };
    const focus = known ? noteFocus(entry.node) : null;
    entry.message = message;
    entry.node.dataset.authorId = message.author.id;
    entry.node.dataset.bot = String(Boolean(message.author.bot));
    entry.node.dataset.ephemeral = String(Boolean(message.flags & EPHEMERAL));
    entry.node.dataset.ping = String(scene.pings);
    // Counts redraws: a test, or a person's script, waits for it to change.
    entry.node.dataset.revision = String(Number(entry.node.dataset.revision ?? 0) + 1);
    entry.node.replaceChildren(...messageParts(message, scene).filter(Boolean));
    entry.pictures = scene.pictures;
    this.entries.set(message.id, entry);
    if (!known) this.insert(message, entry.node);
    if (focus) this.scroll.used(entry.node, { ...focus, button: restoreFocus(entry.node, focus) });
  }

  insert(message, node) {
    const later = [...this.list.querySelectorAll("[data-message-id]")]
      .find((other) => isLater(other.dataset.messageId, message.id));
    // Pending commands and hints stay last; failures keep their place.
    const note = this.list.querySelector("[data-note='pending'], [data-note='hint']");
    this.list.insertBefore(node, later ?? note);
  }

  regroup() {
    // A message that continues what its author just said needs no name again.
    let before = null;
    for (const node of this.list.querySelectorAll("[data-message-id]")) {
      const { message } = this.entries.get(node.dataset.messageId);
      node.classList.toggle("is-grouped", Boolean(before) && belongsTo(before, message));
      before = message;
    }
  }
}

function isLater(one, other) {
  // Ids are too large for a JavaScript number: the longer one is larger, else compare the digits.
  return one.length === other.length ? one > other : one.length > other.length;
}

function belongsTo(before, message) {
  return before.author.id === message.author.id
    && !message.interaction_metadata && !message.referenced_message
    && (before.flags & EPHEMERAL) === (message.flags & EPHEMERAL)
    && new Date(message.timestamp) - new Date(before.timestamp) < GROUP_MS;
}

function noteFocus(node) {
  const active = document.activeElement;
  if (!node.contains(active)) return null;
  return { customId: active.dataset.customId, path: active.dataset.path, top: active.getBoundingClientRect().top, height: node.offsetHeight };
}

// The same button again: by its custom id, else the one that is in its place now.
function restoreFocus(node, { customId, path }) {
  const find = (name, value) => value && node.querySelector(`[data-${name}="${CSS.escape(value)}"]`);
  const target = find("custom-id", customId) || find("path", path)
    || node.querySelector("button[data-component]:not([aria-disabled='true'])");
  target?.focus({ preventScroll: true });
  return target;
}
