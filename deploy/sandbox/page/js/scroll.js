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
    this.gap = 0; // how far above the end a reader is who follows it
    this.lastTop = 0;
    this.ownTop = -1; // where it was scrolled to last by `stay`
    this.newestHeight = 0;
    this.room = 0;
    box.addEventListener("scroll", () => this.moved(), { passive: true });
    jump.addEventListener("click", () => this.toEnd());
    // Pictures arrive, the composer grows, the phone's keyboard opens: who was at
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

  // How far above the very end one reads the newest message: where it is higher than the
  // window, its picture and the board of buttons below it are worth more than its last lines.
  rest() {
    const newest = this.content.lastElementChild;
    const [picture, board] = [newest?.querySelector(".gallery"), newest?.querySelector(".board")];
    if (!picture || !board) return 0;
    const end = this.box.getBoundingClientRect().top - this.box.scrollTop + this.box.scrollHeight;
    const cut = end - picture.getBoundingClientRect().top + MARGIN_PX - this.box.clientHeight;
    return Math.max(0, Math.min(cut, end - board.getBoundingClientRect().bottom - MARGIN_PX));
  }

  moved() {
    // Content that grew leaves one above the end as well; only who scrolled up wants that.
    const wentUp = this.box.scrollTop < this.lastTop - 1;
    this.lastTop = this.box.scrollTop;
    // Heard of late: by now the list may be higher or lower, so the gap would be a wrong one.
    if (this.follows && this.lastTop === this.ownTop) return;
    if (this.isAtEnd()) {
      this.follows = true;
      this.gap = Math.max(0, this.fromEnd());
    } else if (wentUp) this.follows = false;
    if (this.follows) this.jump.hidden = true;
  }

  // As far above the end as before, so that what was near it has not moved; unless what is
  // there has another shape now, as a challenge that became a board, or the window has.
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

  /** Show the beginning, of a channel in which nothing was said. */
  toStart() {
    this.box.scrollTop = 0;
    this.leaveEnd();
  }

  /** Stay where the reader is led to, whatever arrives. */
  leaveEnd() {
    this.follows = false;
  }

  /** Something was added at the end; follow it only for who was reading there. */
  grew(follow) {
    if (follow) this.toEnd();
    else this.jump.hidden = false;
  }

  /**
   * Show what became of a message that the reader has just used: the button under the
   * finger stays there, unless the message has outgrown the window.
   *
   * @param {Element} node the message
   * @param {{button: Element, top: number, height: number}} before where the button and how
   *   high the message was
   */
  used(node, { button, top, height }) {
    if (this.follows) {
      this.stay();
      return;
    }
    if (button) this.box.scrollTop += button.getBoundingClientRect().top - top;
    if (Math.abs(node.offsetHeight - height) > OTHER_SHAPE_PX) this.bringIn(node);
  }

  // All of it, or its end, where its buttons are.
  bringIn(node) {
    const [view, place] = [this.box.getBoundingClientRect(), node.getBoundingClientRect()];
    const below = place.bottom - view.bottom;
    if (below > 0) this.box.scrollTop += below;
    else if (place.top < view.top) this.box.scrollTop -= Math.min(view.top - place.top, -below);
  }
}
