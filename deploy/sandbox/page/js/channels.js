// The list of channels, the title above the messages, and the bot's presence.

import { avatar, displayName, el, icon, iconButton } from "./dom.js";
import { inWords, total } from "./news.js";
import { placeLink } from "./place.js";

export const DM = 1;
export const THREADS = [11, 12];

/** Return a channel's name as it is shown: #games, a thread's name, a person's. */
export function channelTitle(channel) {
  if (channel.type === DM) return channel.recipients?.map(displayName).join(", ") || "Direct message";
  return THREADS.includes(channel.type) ? channel.name : `#${channel.name}`;
}

export class ChannelList {
  constructor(app) {
    this.app = app;
    this.root = document.getElementById("channel-list");
    this.drawer = document.getElementById("drawer");
    this.shade = document.getElementById("drawer-shade");
    this.opener = document.getElementById("drawer-button");
    this.unread = {}; // channel id -> {count, pings}
    this.opener.addEventListener("click", () => (this.drawer.classList.contains("is-open") ? this.close() : this.open()));
    this.shade.addEventListener("click", () => this.close());
    this.drawer.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
  }

  show(channels, currentId) {
    const focused = this.root.contains(document.activeElement) ? document.activeElement.dataset.channelId : null;
    const groups = new Map();
    // A closed thread is found through the message it belongs to.
    const listed = channels.filter((channel) => !channel.thread_metadata?.archived || channel.id === currentId);
    for (const channel of inOrder(listed)) {
      const title = channel.type === DM ? "Direct messages" : groupTitle(channel);
      groups.set(title, [...(groups.get(title) ?? []), channel]);
    }
    this.root.replaceChildren(...[...groups].map(([title, list]) => el("section", { "aria-label": title },
      el("h2", {}, title), el("ul", {}, list.map((channel) => el("li", {}, this.row(channel, currentId)))))));
    this.showUnread(this.unread);
    if (focused) this.root.querySelector(`[data-channel-id="${CSS.escape(focused)}"]`)?.focus();
  }

  row(channel, currentId) {
    const isThread = THREADS.includes(channel.type);
    const other = channel.type === DM ? channel.recipients?.[0] : null;
    const click = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.app.open(channel.id);
    };
    return el("a", {
      class: isThread ? "channel is-thread" : "channel",
      href: placeLink(this.app.state.me.id, channel.id), "aria-current": channel.id === currentId ? "page" : false,
      data: { channelId: channel.id, channelName: channel.name ?? "" }, on: { click },
    }, other ? avatar(other) : icon(isThread ? "thread" : "hash"), el("span", { class: "channel-label" }, channel.type === DM ? channelTitle(channel) : channel.name));
  }

  showTitle(channel, actions) {
    const name = document.getElementById("channel-name");
    const kind = channel && channel.type !== DM ? [icon(THREADS.includes(channel.type) ? "thread" : "hash")] : [];
    const text = channel ? (channel.type === DM ? channelTitle(channel) : channel.name) : "No channel";
    name.replaceChildren(...kind, el("span", {}, text));
    document.getElementById("channel-actions").replaceChildren(...actions);
    // On a phone the drawer, which says that this is a sandbox, is closed: the second line says it.
    document.getElementById("channel-topic").replaceChildren(
      el("span", { class: "sandbox-tag" }, "local sandbox"), el("span", {}, channel?.topic ?? ""));
  }

  showBot(bot) {
    const state = bot.online ? "online" : "offline";
    const foot = document.getElementById("bot-status");
    if (foot.dataset.state === state && foot.dataset.name === displayName(bot)) return;
    foot.dataset.state = state;
    foot.dataset.name = displayName(bot);
    const direct = iconButton("chat", `Write to ${displayName(bot)} alone`, () => this.app.openDirect(), { title: "Direct message", data: { direct: "" } });
    foot.replaceChildren(avatar(bot), el("div", { class: "drawer-bot" }, el("div", { class: "bot-name" }, displayName(bot)),
      el("div", { class: bot.online ? "presence is-online" : "presence" }, bot.online ? "Bot online" : "Bot offline")), direct);
  }

  /** Show which channels have unread messages, and how many of these ping this person. */
  showUnread(unread) {
    this.unread = unread;
    for (const row of this.root.querySelectorAll("[data-channel-id]")) {
      const news = unread[row.dataset.channelId];
      row.classList.toggle("is-unread", Boolean(news));
      row.querySelector(".unread")?.remove();
      if (news) row.append(badge(news));
    }
    this.opener.dataset.pings = total(unread).pings || "";
  }

  open() {
    this.drawer.classList.add("is-open");
    this.shade.hidden = false;
    // What lies under the drawer cannot be reached until it is closed.
    document.getElementById("main").inert = true;
    this.opener.setAttribute("aria-expanded", "true");
    (this.root.querySelector("[aria-current]") ?? this.root.querySelector("a"))?.focus();
  }

  close() {
    if (!this.drawer.classList.contains("is-open")) return;
    this.drawer.classList.remove("is-open");
    this.shade.hidden = true;
    document.getElementById("main").inert = false;
    this.opener.setAttribute("aria-expanded", "false");
    this.opener.focus();
  }
}

// A dot for unread messages, or the number of pings.
function badge(news) {
  return el("span", { class: news.pings ? "unread is-ping" : "unread", title: inWords(news) },
    news.pings ? el("span", { "aria-hidden": "true" }, String(news.pings)) : null,
    el("span", { class: "visually-hidden" }, inWords(news)));
}

function groupTitle(channel) {
  return channel.has_bot === false ? `${channel.guild_name} (the bot is not in here)` : channel.guild_name ?? "Channels";
}

// Guild channels by position, each followed by its threads, then conversations.
function inOrder(channels) {
  const roots = channels.filter((channel) => !THREADS.includes(channel.type));
  roots.sort((one, other) => Number(one.type === DM) - Number(other.type === DM) || (one.position ?? 0) - (other.position ?? 0));
  const listed = roots.flatMap((channel) => [channel, ...channels.filter((other) => THREADS.includes(other.type) && other.parent_id === channel.id)]);
  return [...listed, ...channels.filter((channel) => !listed.includes(channel))];
}
