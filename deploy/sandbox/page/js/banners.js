// Lines at the top that say why nothing may be answered: no connection, no bot.

import { el, icon } from "./dom.js";
import { whenReleased } from "./press.js";

export class Banners {
  constructor() {
    this.root = document.getElementById("banners");
    this.lines = new Map();
  }

  /** Show `text` as the line called `name`; an empty text removes it. */
  set(name, text) {
    whenReleased(() => {
      const known = this.lines.get(name);
      if (known?.text === text) return;
      known?.node.remove();
      this.lines.delete(name);
      if (!text) return;
      const node = el("p", { class: "banner", role: "status", data: { banner: name } }, icon("warn"), el("span", {}, text));
      this.root.append(node);
      this.lines.set(name, { text, node });
    });
  }
}
