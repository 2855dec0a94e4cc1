// Where the reader is in the list of messages.

import { whenReleased } from "./press.js";

const NEAR_END_PX = 90;
const OTHER_SHAPE_PX = 100;
const MARGIN_PX = 8;

export class Scroll {
  constructor(box, jump, content) {
    this.box = box;
    this.jump = jump;
    this.content = content;
    this.follows = true;
    this.gap = 0; // how far above the end a reader who follows it is
    this.lastTop = 0;
    this.ownTop = -1; // where `stay` last scrolled to
    this.newestHeight = 0;
    this.room = 0;
    box.addEventListener("scroll", () => this.moved(), { passive: true });
    jump.addEventListener("click", () => this.toEnd());
    // Pictures arrive, the composer grows, the phone's keyboard opens: a reader at
    // the end stays there.
    const watcher = new ResizeObserver(() => whenReleased(() => this.follows && this.stay()));
    watcher.observe(box);
    watcher.observe(content);
  }

  fromEnd() {
    return this.box.scrollHeight - this.box.scrollTop - this.box.clientHeight;
  }

  isAtEnd() {
    return this.fromEnd() < this.rest() + NEAR_END_PX;
  }

  // How far above the very end to show the newest message: if it is taller than the window,
  // its picture and the board of buttons below it matter more than its last lines.
  rest() {
    const newest = this.content.lastElementChild;
    const [picture, board] = [newest?.querySelector(".gallery"), newest?.querySelector(".board")];
    if (!picture || !board) return 0;
    const end = this.box.getBoundingClientRect().top - this.box.scrollTop + this.box.scrollHeight;
    const cut = end - picture.getBoundingClientRect().top + MARGIN_PX - this.box.clientHeight;
    return Math.max(0, Math.min(cut, end - board.getBoundingClientRect().bottom - MARGIN_PX));
  }

  moved() {
    // Growing content leaves readers above the end as well; only those who scrolled up want that.
    const wentUp = this.box.scrollTop < this.lastTop - 1;
    this.lastTop = this.box.scrollTop;
    // The event of `stay` comes late: the list may have grown or shrunk, so the gap would be wrong.
    if (this.follows && this.lastTop === this.ownTop) return;
    if (this.isAtEnd()) {
      this.follows = true;
      this.gap = Math.max(0, this.fromEnd());
    } else if (wentUp) this.follows = false;
    if (this.follows) this.jump.hidden = true;
  }

  // Keep the distance from the end, so that what is near it does not move, unless the newest
  // message (such as a challenge that became a board) or the window has changed its shape.
  stay() {
    const newest = this.content.lastElementChild?.offsetHeight ?? 0;
    const room = this.box.clientHeight;
    const isOther = Math.abs(newest - this.newestHeight) > OTHER_SHAPE_PX || room !== this.room;
    if (isOther) this.gap = this.rest();
    [this.newestHeight, this.room] = [newest, room];
    this.box.scrollTop = this.box.scrollHeight - room - this.gap;
    this.ownTop = this.box.scrollTop;
    this.jump.hidden = true;
  }

  toEnd() {
    this.follows = true;
    this.gap = this.rest();
    this.stay();
  }

  /** Show the beginning, for a channel without messages. */
  toStart() {
    this.box.scrollTop = 0;
    this.leaveEnd();
  }

  /** Stop following the end: stay where the reader is, whatever arrives. */
  leaveEnd() {
    this.follows = false;
  }

  /** Something was added at the end: scroll to it if `follow`, else offer to. */
  grew(follow) {
    if (follow) this.toEnd();
    else this.jump.hidden = false;
  }

  /**
   * Show the new state of a message that the reader has just used: the button stays
   * under the finger, unless the message has outgrown the window.
   *
   * @param {Element} node the message
   * @param {{button: Element, top: number, height: number}} before where the button was and
   *   the message's height
   */
  used(node, { button, top, height }) {
    if (this.follows) {
      this.stay();
      return;
    }
    if (button) this.box.scrollTop += button.getBoundingClientRect().top - top;
    if (Math.abs(node.offsetHeight - height) <= OTHER_SHAPE_PX) return;
    // Scroll to all of it, or to its end, where its buttons are.
    const [view, place] = [this.box.getBoundingClientRect(), node.getBoundingClientRect()];
    const below = place.bottom - view.bottom;
    if (below > 0) this.box.scrollTop += below;
    else if (place.top < view.top) this.box.scrollTop -= Math.min(view.top - place.top, -below);
  }
}
