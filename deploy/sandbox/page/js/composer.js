// The message box: for a text, or a command chosen from a list.

import { announce } from "./announce.js";
import { CommandForm } from "./command_form.js";
import { exactly, flatten, isNamed, matching, parseTyped, started } from "./commands.js";
import { dots, el, freshId, iconButton, select } from "./dom.js";

const MOST_CHARACTERS = 2000;
const TYPING_MS = 8000;

export class Composer {
  constructor(app) {
    this.app = app;
    this.root = document.getElementById("composer");
    this.entries = [];
    this.shown = [];
    this.active = 0;
    this.form = null;
    this.build();
  }

  build() {
    this.list = el("ul", { class: "command-list", id: freshId("commands"), role: "listbox", "aria-label": "Commands", hidden: true });
    this.input = el("textarea", {
      id: "composer-input", rows: "1", maxlength: String(MOST_CHARACTERS), autocomplete: "off",
      role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": this.list.id,
      "aria-label": "Message, or / for commands", enterkeyhint: "send",
    });
    const slash = iconButton("slash", "Show the commands", () => this.startSlash(), { class: "icon-button slash-button" });
    const send = iconButton("send", "Send", () => this.enter(), { class: "icon-button send-button" });
    this.hint = el("p", { class: "composer-hint", role: "status" });
    this.typing = el("p", { class: "typing", "aria-hidden": "true" });
    this.box = el("div", { class: "composer-box" }, slash, this.input, send);
    this.root.replaceChildren(this.list, this.box, this.hint, this.typing);
    this.input.addEventListener("input", () => this.typed());
    this.input.addEventListener("keydown", (event) => this.onKey(event));
    this.input.addEventListener("blur", () => this.hideList());
    this.input.addEventListener("focus", () => this.typed());
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
  }

  /** Offer these commands from now on. */
  setCommands(commands, locale) {
    this.entries = flatten(commands, locale);
    if (document.activeElement === this.input) this.typed();
  }

  /** Say where a message would go; a phone only has room for the short form. */
  setPlaceholder(place) {
    const isNarrow = matchMedia("(max-width: 760px)").matches;
    this.input.placeholder = isNarrow ? `Message ${place}` : `Message ${place}, or / for commands`;
  }

  /** Show for a while that somebody is writing. */
  showTyping(name) {
    clearTimeout(this.typingTimer);
    this.typing.replaceChildren(dots(), ` ${name} is typing…`);
    this.typingTimer = setTimeout(() => this.hideTyping(), TYPING_MS);
  }

  /** Stop showing that somebody is writing. */
  hideTyping() {
    this.typing.replaceChildren();
  }

  /** Open a command's fields, for example when its mention in a text is pressed. */
  openByName(name) {
    const entry = exactly(this.entries, name);
    if (entry) {
      this.open(entry);
      return;
    }
    // A command with subcommands: show which there are.
    this.input.value = `/${name}`;
    this.input.focus();
  }

  startSlash() {
    this.input.value = "/";
    this.input.focus();
    this.typed();
  }

  typed() {
    this.input.style.setProperty("height", "auto");
    this.input.style.setProperty("height", `${this.input.scrollHeight}px`);
    this.hint.textContent = "";
    const text = this.input.value;
    if (!text.startsWith("/") || text.includes("\n")) {
      this.hideList();
      return;
    }
    const [entry, rest] = started(this.entries, text.slice(1));
    // A space after a full name moves on to the first field.
    if (entry?.options.length && rest !== null) {
      this.open(entry, rest);
      return;
    }
    this.showList(matching(this.entries, text.slice(1)));
  }

  showList(entries) {
    this.shown = entries;
    this.active = 0;
    this.rows = entries.map((entry) => this.row(entry));
    const keys = el("li", { class: "command-keys", role: "presentation", "aria-hidden": "true" },
      el("kbd", {}, "Enter"), " runs it, ", el("kbd", {}, "Tab"), " shows its options, ", el("kbd", {}, "Esc"), " closes");
    const empty = el("li", { class: "options-empty", role: "option", "aria-disabled": "true" },
      this.entries.length ? "No command has this name" : "The bot has no commands yet");
    this.list.replaceChildren(...(this.rows.length ? [...this.rows, keys] : [empty]));
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    if (this.rows.length) this.setActive(0);
    else this.input.removeAttribute("aria-activedescendant");
  }

  row(entry) {
    const options = entry.options.map((option) => el("span", { class: option.required ? "chip is-required" : "chip" }, option.label));
    return el("li", { id: freshId("command"), role: "option", class: "command-row", data: { command: entry.name }, on: { click: () => this.open(entry) } },
      el("div", { class: "command-name" }, el("b", {}, `/${entry.label}`), options), el("small", {}, entry.description));
  }

  setActive(index) {
    this.active = select(this.rows, this.active, index, this.input);
  }

  hideList() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  onKey(event) {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.enter();
      return;
    }
    if (this.list.hidden) return;
    const keys = {
      ArrowDown: () => this.rows.length && this.setActive(this.active + 1),
      ArrowUp: () => this.rows.length && this.setActive(this.active - 1),
      Tab: () => this.shown.length && this.open(this.shown[this.active]),
      Escape: () => this.hideList(),
    };
    if (!keys[event.key] || (event.key === "Tab" && (event.shiftKey || !this.shown.length))) return;
    event.preventDefault();
    keys[event.key]();
  }

  /** Enter: run the chosen command, or send the text. */
  enter() {
    const text = this.input.value;
    if (!text.trim()) return;
    if (!text.startsWith("/")) {
      this.clear();
      this.app.hands.say(text);
      return;
    }
    const typed = text.slice(1);
    const entry = exactly(this.entries, typed) ?? (this.list.hidden ? null : this.shown[this.active]);
    if (!entry) {
      this.hint.textContent = `There is no command ${text.trim()}.`;
      return;
    }
    this.choose(entry, typed);
  }

  // A newcomer who types "/play" and Enter has a game: a command that requires no option and is
  // named in full or unambiguously runs at once; one found only by its description opens its fields.
  choose(entry, typed) {
    const needs = entry.options.some((option) => option.required);
    const isOnly = isNamed(entry, typed) && (!entry.options.length || this.shown.length === 1);
    const sure = exactly([entry], typed) || isOnly || this.active > 0;
    if (needs || !sure) this.open(entry);
    else {
      this.clear();
      this.app.hands.run(entry, {});
    }
  }

  /** Show the fields of a command; `typed` fills them. */
  open(entry, typed = "") {
    this.clear();
    this.form = new CommandForm(entry, {
      send: (options) => {
        this.close();
        this.app.hands.run(entry, options);
      },
      close: () => this.close(),
      things: (option) => this.app.things.forOption(option),
      suggest: (options, focused) => this.app.hands.suggest(entry, options, focused),
    });
    this.form.fill(parseTyped(typed, entry.options));
    this.box.hidden = true;
    this.root.append(this.form.node);
    this.form.focus();
    announce(`Command ${entry.label}. ${entry.description}`);
  }

  /** Go back to writing texts. */
  close() {
    this.leaveForm();
    this.input.focus();
  }

  /** Take a command's fields away; what was written before stays. */
  leaveForm() {
    this.form?.node.remove();
    this.form = null;
    this.box.hidden = false;
  }

  /** Forget what was written and chosen. */
  clear() {
    this.leaveForm();
    this.input.value = "";
    this.typed();
    this.hideList();
  }
}
