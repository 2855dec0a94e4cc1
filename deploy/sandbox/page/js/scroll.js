// Where the reader is in the list of messages.

const NEAR_END_PX = 90;

export class Scroll {
  constructor(box, jump, content) {
    this.box = box;
    this.jump = jump;
    this.follows = true;
    this.lastTop = 0;
    box.addEventListener("scroll", () => this.moved(), { passive: true });
    jump.addEventListener("click", () => this.toEnd());
    // Pictures arrive, the composer grows, the phone's keyboard opens: who was at
    // the end stays there.
    const watcher = new ResizeObserver(() => this.follows && this.toEnd());
    watcher.observe(box);
    watcher.observe(content);
  }

  isAtEnd() {
    return this.box.scrollHeight - this.box.scrollTop - this.box.clientHeight < NEAR_END_PX;
  }

  moved() {
    // Content that grew leaves one above the end as well; only who scrolled up wants that.
    const wentUp = this.box.scrollTop < this.lastTop - 1;
    this.lastTop = this.box.scrollTop;
    if (this.isAtEnd()) this.follows = true;
    else if (wentUp) this.follows = false;
    if (this.follows) this.jump.hidden = true;
  }

  toEnd() {
    this.box.scrollTop = this.box.scrollHeight;
    this.follows = true;
    this.jump.hidden = true;
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

  /** Keep `node` at the height `top` of the window: the button under the finger. */
  hold(node, top) {
    if (!node) return;
    this.box.scrollTop += node.getBoundingClientRect().top - top;
    this.follows = false;
  }
}
