// Events from the sandbox, over a WebSocket that reconnects by itself.

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;

export class Live {
  /**
   * @param {Object} handlers `event(kind, data)`, `open(isFirst)`, `lost()`
   */
  constructor(handlers) {
    this.handlers = handlers;
    this.socket = null;
    this.userId = null;
    this.wait = FIRST_WAIT_MS;
    this.hasOpened = false;
    // A window that was asleep tries again at once when it becomes visible.
    document.addEventListener("visibilitychange", () => this.hurry());
    window.addEventListener("online", () => this.hurry());
  }

  /** Listen as `userId` from now on. */
  connect(userId) {
    this.userId = userId;
    this.hasOpened = false;
    this.open();
  }

  open() {
    clearTimeout(this.timer);
    const old = this.socket;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const address = `${scheme}://${location.host}/sandbox/live?user=${encodeURIComponent(this.userId)}`;
    const socket = new WebSocket(address);
    this.socket = socket;
    old?.close();
    socket.addEventListener("open", () => {
      this.wait = FIRST_WAIT_MS;
    });
    socket.addEventListener("message", (message) => this.receive(socket, message.data));
    socket.addEventListener("close", () => this.closed(socket));
  }

  receive(socket, text) {
    if (socket !== this.socket) return;
    const { kind, data } = JSON.parse(text);
    if (kind === "ready") {
      // Events are queued for us only from now on: what is loaded after this misses none.
      this.handlers.open(!this.hasOpened);
      this.hasOpened = true;
    } else this.handlers.event(kind, data);
  }

  closed(socket) {
    if (socket !== this.socket) return;
    this.socket = null;
    this.handlers.lost();
    this.timer = setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT_MS);
  }

  hurry() {
    if (this.socket === null && this.userId !== null && !document.hidden) this.open();
  }
}
