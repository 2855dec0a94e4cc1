// Autocompletion: suggestions that the bot itself makes while the user types.

import { el, freshId, select } from "./dom.js";

const PAUSE_MS = 180;

export class Suggestions {
  /**
   * @param {HTMLInputElement} input
   * @param {(text: string) => Promise<{name, value}[]>} ask
   */
  constructor(input, ask) {
    this.input = input;
    this.ask = ask;
    this.asked = 0;
    this.active = -1;
    this.choices = [];
    this.known = new Map(); // shown name -> value to send
    this.list = el("ul", { class: "options suggestions", id: freshId("suggestions"), role: "listbox", "aria-label": "Suggestions", hidden: true });
    this.box = el("div", { class: "suggest-box" }, input, this.list);
    const attributes = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": this.list.id };
    for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
    input.addEventListener("input", () => this.later());
    input.addEventListener("focus", () => this.refresh());
    input.addEventListener("blur", () => this.hide());
    input.addEventListener("keydown", (event) => this.onKey(event));
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
  }

  /** Return the value behind a shown name, undefined for free text. */
  valueOf(text) {
    return this.known.get(text);
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), PAUSE_MS);
  }

  async refresh() {
    const turn = ++this.asked;
    let choices;
    try {
      choices = await this.ask(this.input.value);
    } catch {
      if (turn === this.asked) this.message("The suggestions could not be loaded");
      return;
    }
    // An answer that was overtaken by a newer request is dropped.
    if (turn !== this.asked || document.activeElement !== this.input) return;
    for (const choice of choices) this.known.set(choice.name, choice.value);
    this.show(choices);
  }

  show(choices) {
    this.choices = choices;
    this.active = -1;
    if (!choices.length) {
      this.message("No suggestions");
      return;
    }
    this.rows = choices.map((choice, index) => el("li", {
      id: freshId("suggestion"), role: "option", "aria-selected": "false", on: { click: () => this.pick(index) },
    }, choice.name));
    this.list.replaceChildren(...this.rows);
    this.reveal();
  }

  message(text) {
    this.choices = [];
    this.list.replaceChildren(el("li", { class: "options-empty", role: "option", "aria-disabled": "true" }, text));
    if (document.activeElement === this.input) this.reveal();
  }

  reveal() {
    const field = this.input.getBoundingClientRect();
    // Above the field's label as well, so that it stays readable.
    const top = (this.input.closest(".field") ?? this.input).getBoundingClientRect().top;
    const place = {
      left: `${field.left}px`, width: `${field.width}px`, bottom: `${innerHeight - top + 4}px`,
      "max-height": `${Math.max(120, Math.min(290, top - 12))}px`,
    };
    for (const [name, value] of Object.entries(place)) this.list.style.setProperty(name, value);
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
  }

  hide() {
    clearTimeout(this.timer);
    this.asked += 1;
    this.list.hidden = true;
    this.active = -1;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  pick(index) {
    this.input.value = this.choices[index].name;
    this.hide();
  }

  onKey(event) {
    if (this.list.hidden) return;
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (moves[event.key] && this.choices.length) {
      event.preventDefault();
      const from = this.active < 0 && event.key === "ArrowUp" ? 0 : this.active;
      this.active = select(this.rows, this.active, from + moves[event.key], this.input);
    } else if ((event.key === "Enter" || event.key === "Tab") && this.active >= 0) {
      // The first Enter takes the suggestion, the next one sends.
      if (event.key === "Enter") event.preventDefault();
      event.stopPropagation();
      this.pick(this.active);
    } else if (event.key === "Escape") {
      event.stopPropagation();
      this.hide();
    }
  }
}
