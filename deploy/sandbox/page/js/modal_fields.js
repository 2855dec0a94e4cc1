// The fields a modal may have. Each gives its value as the API wants it:
// a text, a list of values, one value, or true and false.

import { el, freshId } from "./dom.js";

const [STRING_SELECT, TEXT_INPUT, FILE_UPLOAD, RADIO, CHECKBOXES, CHECKBOX] = [3, 4, 19, 21, 22, 23];
const PARAGRAPH = 2;

export class ModalField {
  constructor(component, { label, description, things }) {
    this.component = component;
    this.customId = component.custom_id;
    this.things = things;
    this.label = label ?? component.label ?? "";
    const id = freshId("modal-field");
    this.error = el("p", { class: "field-error", id: `${id}-error`, role: "alert", hidden: true });
    this.group = [RADIO, CHECKBOXES].includes(component.type) || this.isMany();
    const help = description ? el("p", { class: "field-help", id: `${id}-help` }, description) : null;
    const mark = this.isRequired() ? el("span", { class: "field-required" }, "required") : el("span", {}, "optional");
    const control = this.make(id);
    const title = this.group ? el("legend", {}, el("b", {}, this.label), " ", mark) : el("label", { for: id }, el("b", {}, this.label), " ", mark);
    this.node = el(this.group ? "fieldset" : "div", { class: "field" }, title, help, control, this.error);
    const first = this.first();
    first?.setAttribute("aria-describedby", `${help ? `${id}-help ` : ""}${id}-error`);
    this.node.addEventListener("input", () => this.showError(""));
  }

  isMany() {
    return [STRING_SELECT, 5, 6, 7, 8].includes(this.component.type) && (this.component.max_values ?? 1) > 1;
  }

  isRequired() {
    return this.component.type !== CHECKBOX && this.component.required !== false && this.component.min_values !== 0;
  }

  make(id) {
    const { component } = this;
    if (component.type === TEXT_INPUT) return this.textInput(id);
    if (component.type === CHECKBOX) return this.single = el("input", { id, type: "checkbox", checked: component.default, data: { customId: this.customId } });
    if (component.type === FILE_UPLOAD) return this.single = el("input", { id, type: "file", multiple: (component.max_values ?? 1) > 1, data: { customId: this.customId } });
    const options = component.options ?? this.things(component);
    if (this.group) return this.choices(options, component.type === RADIO ? "radio" : "checkbox");
    this.single = el("select", { id, data: { customId: this.customId } },
      el("option", { value: "" }, component.placeholder ?? "Choose…"),
      options.map((option) => el("option", { value: option.value, selected: option.default }, option.label)));
    return this.single;
  }

  textInput(id) {
    const { component } = this;
    const long = component.style === PARAGRAPH;
    this.single = el(long ? "textarea" : "input", {
      id, type: long ? false : "text", rows: long ? "4" : false, autocomplete: "off",
      placeholder: component.placeholder, maxlength: component.max_length ?? 4000,
      "aria-required": this.isRequired() ? "true" : false, data: { customId: this.customId },
    });
    this.single.value = component.value ?? "";
    return this.single;
  }

  choices(options, type) {
    const name = freshId("choice");
    this.boxes = options.map((option) => el("input", { type, name, value: option.value, checked: option.default }));
    const rows = options.map((option, index) => el("label", { class: "choice" }, this.boxes[index],
      el("span", {}, option.label, option.description ? el("small", {}, option.description) : null)));
    return el("div", { class: "choices", data: { customId: this.customId } }, rows);
  }

  first() {
    return this.single ?? this.boxes?.[0] ?? null;
  }

  focus() {
    this.first()?.focus();
  }

  picked() {
    return this.boxes.filter((box) => box.checked).map((box) => box.value);
  }

  /** Return the value in the form the API has for this kind of field. */
  value() {
    const { type } = this.component;
    if (type === TEXT_INPUT) return this.single.value;
    if (type === CHECKBOX) return this.single.checked;
    if (type === FILE_UPLOAD) return [...this.single.files];
    if (type === RADIO) return this.picked()[0] ?? null;
    if (this.boxes) return this.picked();
    return this.single?.value ? [this.single.value] : [];
  }

  /** Check the value and show what is wrong with it. */
  check() {
    const problem = this.problem();
    this.showError(problem);
    return !problem;
  }

  problem() {
    const { component } = this;
    const value = this.value();
    if (component.type === CHECKBOX) return "";
    const length = Array.isArray(value) || typeof value === "string" ? value.length : Number(value !== null);
    if (!length) return this.isRequired() ? `${this.label || "This"} is required.` : "";
    if (component.type === TEXT_INPUT) {
      if (component.min_length && length < component.min_length) return `At least ${component.min_length} characters, please.`;
      return "";
    }
    if (component.min_values && length < component.min_values) return `Choose at least ${component.min_values}.`;
    if (component.type === FILE_UPLOAD && length > (component.max_values ?? 1)) return `At most ${component.max_values ?? 1}, please.`;
    if (this.boxes && component.max_values && component.type !== RADIO && length > component.max_values) return `Choose at most ${component.max_values}.`;
    return "";
  }

  showError(text) {
    this.error.textContent = text;
    this.error.hidden = !text;
    this.first()?.setAttribute("aria-invalid", String(Boolean(text)));
  }
}
