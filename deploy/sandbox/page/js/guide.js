// For newcomers: the bot at a glance, its commands by group, and the people. In a
// wide window groups and people have a column of their own.

import { channelTitle } from "./channels.js";
import { flatten } from "./commands.js";
import { avatar, displayName, el, icon } from "./dom.js";
import { placeLink } from "./place.js";

const OTHER = "{other}";

export class Guide {
  constructor(app) {
    this.app = app;
    this.aside = document.getElementById("aside");
    this.people = el("section", { "aria-label": "People" });
    this.node = null;
    this.wide = matchMedia("(min-width: 1500px)");
    this.wide.addEventListener("change", () => this.place());
  }

  /** Return the element above the first message, the same one until something in it changes. */
  welcome() {
    const { state, place } = this.app;
    const channel = this.app.channel();
    this.entries = flatten(place.commands, state.me.locale);
    const title = channel ? channelTitle(channel) : "Sandbox";
    const shown = JSON.stringify([title, state.intro, state.me.id, state.bot.name, this.entries.map(({ label, description }) => [label, description])]);
    if (this.shown === shown) return this.node;
    this.shown = shown;
    const groups = this.groups(state.intro?.groups ?? []);
    this.commands = el("section", { class: "groups", "aria-label": "Commands" }, groups);
    // An opened group grows downwards, and the list does not scroll.
    this.commands.addEventListener("click", () => this.app.messages.scroll.leaveEnd());
    this.node = el("li", { class: "welcome" }, state.intro ? this.hero(state.intro)
      : [el("h2", {}, title), el("p", {}, `Type / to see what ${displayName(state.bot)} can do.`)]);
    this.place();
    return this.node;
  }

  /** Bring the list of people up to date. */
  showPeople() {
    const { users, bot, me } = this.app.state;
    this.people.replaceChildren(el("h2", {}, "People"), el("ul", {}, [...users, bot].map((user) => el("li", {},
      el("button", { type: "button", class: "person-row", "aria-haspopup": "menu", "aria-expanded": "false", data: { person: user.id } },
        avatar(user), el("span", {}, displayName(user)), user.id === me.id ? el("small", {}, "you") : null)))));
  }

  place() {
    if (!this.node) return;
    if (this.wide.matches) {
      this.aside.replaceChildren(this.people, el("h2", {}, "Commands"), this.commands);
      // Here there is room for one open group.
      if (!this.commands.querySelector("[open]")) this.commands.querySelector("details")?.setAttribute("open", "");
    } else {
      this.aside.replaceChildren();
      this.node.append(this.commands);
    }
  }

  hero(intro) {
    const { url, width, height } = intro.picture;
    return el("div", { class: "hero" },
      el("img", { class: "hero-picture", src: url, width, height, alt: intro.picture_text }),
      el("div", { class: "hero-words" }, el("h2", {}, intro.title), el("p", {}, intro.sentence),
        el("div", { class: "hero-actions" }, intro.actions.map((action, index) => this.action(action, index)))));
  }

  // A large button, disabled until the bot has its command.
  action(action, index) {
    const { state } = this.app;
    const entry = this.entries.find(({ name }) => name === action.command);
    const other = state.users.find((user) => user.id !== state.me.id);
    const fill = (text) => text.replaceAll(OTHER, other ? displayName(other) : "");
    const node = el("button", {
      type: "button", class: `button is-${index ? "secondary" : "success"}`, "aria-disabled": entry ? false : "true",
      title: entry ? false : `${displayName(state.bot)} takes no such command here yet`, data: { action: action.command },
    }, fill(action.label));
    node.addEventListener("click", async () => {
      if (!entry || node.dataset.pending) return;
      node.dataset.pending = "";
      const options = Object.entries(action.options).map(([name, value]) => [name, value === OTHER ? other?.id : value]);
      const isAnswered = await this.app.hands.run(entry, Object.fromEntries(options));
      delete node.dataset.pending;
      if (isAnswered && action.then) this.hint(fill(action.then), Object.values(action.options).includes(OTHER) ? other : null);
    });
    return node;
  }

  // What to do next; gone as soon as something happens.
  hint(text, other) {
    const name = other && displayName(other);
    this.app.messages.addNote(el("li", { class: "note", role: "status", data: { note: "hint" } }, el("span", {}, text),
      other && el("button", { type: "button", class: "button is-primary", data: { be: name }, on: { click: () => this.app.become(other.id) } }, `Be ${name}`),
      other && el("a", { href: `${location.pathname}${placeLink(other.id, this.app.channelId)}`, target: "_blank" }, `Open a second window as ${name}`)));
  }

  // Folded, unless the bot's commands are in no groups at all.
  groups(groups) {
    const named = groups.map(({ title, commands }) => [title, commands.flatMap((name) => this.entries.filter((entry) => entry.name === name || entry.name.startsWith(`${name} `)))]);
    const grouped = new Set(named.flatMap(([, entries]) => entries));
    const all = [...named, [groups.length ? "More" : "Commands", this.entries.filter((entry) => !grouped.has(entry))]];
    return all.filter(([, entries]) => entries.length).map(([title, entries]) => el("details", { class: "group", name: "group", open: !groups.length, data: { group: title } },
      el("summary", {}, icon("down"), el("span", {}, title), el("small", {}, String(entries.length))),
      el("ul", {}, entries.map(({ name, label, description }) => el("li", {},
        el("button", { type: "button", class: "command-link", data: { command: name } }, el("b", {}, `/${label}`), " ", el("small", {}, description)))))));
  }
}
