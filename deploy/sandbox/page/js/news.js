// Unread messages: badges at channels and people, the window's title, and telling the
// sandbox what has been read.

import { channelTitle } from "./channels.js";
import { displayName } from "./dom.js";

const PAUSE_MS = 120;

export class News {
  constructor(app) {
    this.app = app;
    // Coming back to a window counts as reading what came meanwhile.
    document.addEventListener("visibilitychange", () => this.seen());
  }

  /** The counts have changed. */
  heard(unread) {
    this.app.state.unread = unread;
    if (this.seen()) return;
    // Somebody else's window may read it within this pause: then no badge blinks.
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.show(), PAUSE_MS);
  }

  /** Report the open channel as read, if it had unread messages; return whether it had. */
  seen() {
    const { state, channelId } = this.app;
    if (document.hidden || !state?.unread[state.me.id]?.[channelId]) return false;
    this.app.request("/sandbox/read", { channel: channelId }).catch(() => {});
    return true;
  }

  show() {
    const { state, channelId } = this.app;
    const mine = { ...(state.unread[state.me.id] ?? {}) };
    delete mine[channelId];
    this.app.channels.showUnread(mine);
    this.app.users.showUnread(state.unread);
    const pings = total(mine).pings;
    const channel = this.app.channel();
    document.title = `${pings ? `(${pings}) ` : ""}${channel ? channelTitle(channel) : "Sandbox"} · ${displayName(state.me)} · Sandbox`;
  }
}

/** Add up the counts of several channels. */
export function total(channels = {}) {
  const sum = { count: 0, pings: 0 };
  for (const { count, pings } of Object.values(channels)) {
    sum.count += count;
    sum.pings += pings;
  }
  return sum;
}

/** Put counts into words, empty for none. */
export function inWords({ count, pings }) {
  if (!count) return "";
  return pings ? `${count} unread, ${pings} for them` : `${count} unread`;
}
