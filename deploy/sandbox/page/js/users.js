// "You are: Ann": who this window belongs to, and switching to somebody else.

import { avatar, displayName, el, freshId, icon, iconButton } from "./dom.js";
import { inWords, total } from "./news.js";
import { placeLink } from "./place.js";

export class UserSwitch {
  constructor(app) {
    this.app = app;
    this.root = document.getElementById("user-switch");
    this.opener = el("button", {
      type: "button", class: "who", "aria-expanded": "false", "aria-controls": "user-menu", data: { userSwitch: "" }, on: { click: () => this.toggle() },
    });
    this.menu = el("div", { class: "user-menu", id: "user-menu", hidden: true });
    this.others = el("div", { class: "others", role: "group", "aria-label": "Be somebody else" });
    this.root.append(this.others, this.opener, this.menu);
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
      personSettings(me, locales, (settings) => this.app.company.change(settings)));
  }

  // Everybody else, one press away.
  showOthers(users) {
    this.others.replaceChildren(...users.map((user) => {
      const name = displayName(user);
      return el("button", {
        type: "button", class: "other", title: `Be ${name}`, "aria-label": `Be ${name}`,
        data: { become: name, becomeId: user.id, person: user.id }, on: { click: () => this.app.become(user.id) },
      }, avatar(user));
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
    const name = displayName(user);
    const choose = () => {
      this.close();
      this.opener.focus();
      if (!isMe) this.app.become(user.id);
    };
    const write = () => {
      this.close();
      this.app.openDirect(user.id);
    };
    const beside = el("a", { class: "icon-button", href: placeLink(user.id, this.app.channelId), target: "_blank", "aria-label": `Open a second window as ${name}` }, icon("out"));
    // Relative to the page itself: the fragment alone would stay in this window's history.
    beside.addEventListener("click", () => {
      beside.href = `${location.pathname}${placeLink(user.id, this.app.channelId)}`;
    });
    return el("li", {},
      el("button", { type: "button", class: "pick", "aria-current": isMe ? "true" : false, data: { userId: user.id, userName: name }, on: { click: choose } },
        avatar(user), el("span", {}, name), isMe ? icon("check") : null),
      isMe ? null : iconButton("chat", `Write to ${name} alone`, write, { data: { writeTo: name } }), beside);
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

// The settings of a person that the bot gets to know; `change` is called with what was changed.
function personSettings(me, locales, change) {
  const id = freshId("locale");
  const choose = (event) => change({ locale: event.currentTarget.value });
  return el("div", { class: "person" },
    el("label", { for: id }, "Language of this person"),
    el("select", { id, data: { locale: "" }, on: { change: choose } },
      Object.entries(locales).map(([value, words]) => el("option", { value, selected: value === me.locale }, words))),
    setting("has_installed", "Added the app to their account", me, change),
    setting("accepts_direct_messages", "Takes direct messages", me, change));
}

function setting(name, words, me, change) {
  const toggle = (event) => change({ [name]: event.currentTarget.checked });
  return el("label", { class: "choice" },
    el("input", { type: "checkbox", checked: me[name], data: { setting: name }, on: { change: toggle } }), el("span", {}, words));
}
