// "You are: Ann": who this window belongs to, and switching to somebody else.

import { avatar, displayName, el, icon } from "./dom.js";
import { inWords, total } from "./news.js";
import { personSettings } from "./person.js";

export class UserSwitch {
  /** @param {Object} hooks `switchTo(id)`, `link(id)`, `direct(id)`, `change(settings)` */
  constructor(hooks) {
    this.hooks = hooks;
    this.root = document.getElementById("user-switch");
    this.opener = el("button", { type: "button", class: "who", "aria-expanded": "false", "aria-controls": "user-menu", data: { userSwitch: "" } });
    this.menu = el("div", { class: "user-menu", id: "user-menu", hidden: true });
    this.others = el("div", { class: "others", role: "group", "aria-label": "Be somebody else" });
    this.root.append(this.others, this.opener, this.menu);
    this.opener.addEventListener("click", () => this.toggle());
    this.root.addEventListener("keydown", (event) => this.onKey(event));
    document.addEventListener("pointerdown", (event) => {
      if (!this.root.contains(event.target)) this.close();
    });
  }

  show(users, me, locales) {
    this.showOthers(users.filter((user) => user.id !== me.id));
    this.opener.dataset.currentUser = me.id;
    this.opener.setAttribute("aria-label", `You are: ${displayName(me)}. Change user`);
    this.opener.replaceChildren(avatar(me), el("small", {}, "You are:"), el("b", {}, displayName(me)), icon("down"));
    this.menu.replaceChildren(el("ul", {}, users.map((user) => this.row(user, user.id === me.id))),
      el("p", {}, "Open a second window as somebody else and play against yourself."),
      personSettings(me, locales, (settings) => this.hooks.change(settings)));
  }

  // Everybody else, one press away.
  showOthers(users) {
    this.others.replaceChildren(...users.map((user) => {
      const name = displayName(user);
      const node = el("button", { type: "button", class: "other", title: `Be ${name}`, "aria-label": `Be ${name}`, data: { become: name, becomeId: user.id, person: user.id } }, avatar(user));
      node.addEventListener("click", () => this.hooks.switchTo(user.id));
      return node;
    }));
  }

  /** Show who has unread messages, and how many of these ping them. */
  showUnread(unread) {
    for (const node of this.others.children) {
      const news = total(unread[node.dataset.becomeId]);
      const words = inWords(news);
      node.querySelector(".unread")?.remove();
      node.setAttribute("aria-label", words ? `Be ${node.dataset.become} (${words})` : `Be ${node.dataset.become}`);
      if (news.count) node.append(el("span", { class: news.pings ? "unread is-ping" : "unread", "aria-hidden": "true" }, news.pings ? String(news.pings) : ""));
    }
  }

  row(user, isMe) {
    const pick = el("button", { type: "button", class: "pick", "aria-current": isMe ? "true" : false, data: { userId: user.id, userName: displayName(user) } },
      avatar(user), el("span", {}, displayName(user)), isMe ? icon("check") : null);
    pick.addEventListener("click", () => {
      this.close();
      this.opener.focus();
      if (!isMe) this.hooks.switchTo(user.id);
    });
    const beside = el("a", {
      class: "icon-button", href: this.hooks.link(user.id), target: "_blank", "aria-label": `Open a second window as ${displayName(user)}`,
    }, icon("out"));
    // Relative to the page itself: the fragment alone would stay in this window's history.
    beside.addEventListener("click", () => {
      beside.href = `${location.pathname}${this.hooks.link(user.id)}`;
    });
    return el("li", {}, pick, isMe ? null : this.writeTo(user), beside);
  }

  writeTo(user) {
    const node = el("button", { type: "button", class: "icon-button", "aria-label": `Write to ${displayName(user)} alone`, data: { writeTo: displayName(user) } }, icon("chat"));
    node.addEventListener("click", () => {
      this.close();
      this.hooks.direct(user.id);
    });
    return node;
  }

  toggle() {
    if (!this.menu.hidden) {
      this.close();
      return;
    }
    this.menu.hidden = false;
    this.opener.setAttribute("aria-expanded", "true");
    this.menu.querySelector("[aria-current]")?.focus();
  }

  close() {
    this.menu.hidden = true;
    this.opener.setAttribute("aria-expanded", "false");
  }

  onKey(event) {
    if (this.menu.hidden) return;
    const rows = [...this.menu.querySelectorAll(".pick")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") {
      this.close();
      this.opener.focus();
    } else if (step) {
      event.preventDefault();
      const here = rows.indexOf(document.activeElement);
      rows[(here + step + rows.length) % rows.length].focus();
    }
  }
}
