// One labelled field for one option of a command.

import { el, freshId } from "./dom.js";
import { Suggestions } from "./suggestions.js";

const [INTEGER, BOOLEAN, USER, CHANNEL, ROLE, MENTIONABLE, NUMBER, ATTACHMENT] = [4, 5, 6, 7, 8, 9, 10, 11];

/**
 * A field. `read()` returns {value} or {error}; an empty optional one {}.
 *
 * @typedef {Object} Sources what fields ask the page
 * @property {(type) => {value, label}[]} things users, channels or roles
 * @property {(option, text) => Promise<Array>} suggest the bot's autocompletion
 */
export class OptionField {
  constructor(option, sources) {
    this.option = option;
    this.sources = sources;
    const id = freshId("field");
    this.error = el("p", { class: "field-error", id: `${id}-error`, role: "alert", hidden: true });
    this.input = this.makeInput(id);
    this.input.dataset.option = option.name;
    this.input.setAttribute("aria-describedby", `${id}-help ${id}-error`);
    if (option.required) this.input.setAttribute("aria-required", "true");
    const state = option.required ? el("span", { class: "field-required" }, "required") : el("span", {}, "optional");
    this.node = el("div", { class: "field" },
      el("label", { for: id }, el("b", {}, option.label), " ", state),
      this.suggestions?.box ?? this.input,
      el("p", { class: "field-help", id: `${id}-help` }, this.help()), this.error);
    /** Text typed for a file, or for a list that has no such entry; it must not be dropped silently. */
    this.unknown = "";
    this.input.addEventListener("input", () => {
      this.unknown = "";
      this.showError("");
    });
  }

  makeInput(id) {
    const { option } = this;
    const choices = this.choices();
    if (choices) return this.list(id, choices);
    const input = el("input", {
      id, type: option.type === ATTACHMENT ? "file" : "text", autocomplete: "off", spellcheck: "false",
      // Numbers are plain text fields: a number field hides mistyped input.
      inputmode: { [INTEGER]: "numeric", [NUMBER]: "decimal" }[option.type],
      maxlength: option.max_length,
    });
    if (option.autocomplete) {
      this.suggestions = new Suggestions(input, (text) => this.sources.suggest(option, text));
    }
    return input;
  }

  choices() {
    const { option } = this;
    if (option.choices?.length) return option.choices.map((choice) => ({ value: choice.value, label: choice.name }));
    if (option.type === BOOLEAN) return [{ value: true, label: "True" }, { value: false, label: "False" }];
    if ([USER, CHANNEL, ROLE, MENTIONABLE].includes(option.type)) return this.sources.things(option);
    return null;
  }

  list(id, choices) {
    this.values = choices;
    const none = el("option", { value: "" }, this.option.required ? "Choose…" : "Not set");
    const items = choices.map((choice, index) => el("option", { value: String(index), data: { value: String(choice.value) } }, choice.label));
    return el("select", { id }, none, items);
  }

  help() {
    const { option } = this;
    const range = [];
    if (option.min_value !== undefined) range.push(`at least ${option.min_value}`);
    if (option.max_value !== undefined) range.push(`at most ${option.max_value}`);
    if (option.min_length) range.push(`at least ${option.min_length} characters`);
    return [option.description, range.join(", ")].filter(Boolean).join(" · ");
  }

  /** Put a typed text into the field, for example when a whole command was pasted. */
  fill(text) {
    if (this.option.type === ATTACHMENT) {
      this.unknown = text; // only the user may choose a file
      return;
    }
    if (!this.values) {
      this.input.value = text;
      return;
    }
    const wanted = plain(text);
    const index = this.values.findIndex((choice) => plain(choice.label) === wanted || String(choice.value) === text);
    if (index >= 0) this.input.value = String(index);
    else this.unknown = text;
  }

  /** Read the value, showing what is wrong with it. */
  read() {
    const result = this.check();
    this.showError(result.error ?? "");
    this.unknown = ""; // reported once; sending again sends what the field shows
    return result;
  }

  check() {
    const { option } = this;
    const isFile = option.type === ATTACHMENT;
    const text = isFile ? this.input.files[0] : this.input.value.trim();
    if (this.unknown) return { error: `There is no “${this.unknown}” to choose for ${option.label}.` };
    if (!text) return option.required ? { error: `${option.label} is required.` } : {};
    if (isFile) return { value: text };
    if (this.values) return { value: this.values[Number(text)].value };
    const picked = this.suggestions?.valueOf(text);
    if (picked !== undefined) return { value: picked };
    if (option.type === INTEGER || option.type === NUMBER) return this.checkNumber(text);
    if (option.min_length && text.length < option.min_length) {
      return { error: `${option.label} must have at least ${option.min_length} characters.` };
    }
    return { value: text };
  }

  checkNumber(text) {
    const { option } = this;
    const whole = option.type === INTEGER;
    const pattern = whole ? /^[+-]?\d{1,16}$/ : /^[+-]?\d+([.,]\d+)?$/;
    const value = Number(text.replace(",", "."));
    if (!pattern.test(text) || !Number.isFinite(value)) {
      return { error: `${option.label} must be a ${whole ? "whole " : ""}number, not “${text}”.` };
    }
    if (option.min_value !== undefined && value < option.min_value) return { error: `${option.label} must be at least ${option.min_value}.` };
    if (option.max_value !== undefined && value > option.max_value) return { error: `${option.label} must be at most ${option.max_value}.` };
    return { value };
  }

  showError(text) {
    this.error.textContent = text;
    this.error.hidden = !text;
    this.input.toggleAttribute("aria-invalid", false);
    if (text) this.input.setAttribute("aria-invalid", "true");
  }
}

/** Return a label for comparison: people are typed as @Ann, channels as #games. */
function plain(label) {
  return label.trim().replace(/^[@#]/, "").toLowerCase();
}
