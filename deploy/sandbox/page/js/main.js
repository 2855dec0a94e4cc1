// Starts the page: one window, one user, one open channel.

import { App } from "./app.js";
import { keepTimesCurrent } from "./time.js";

keepTimesCurrent();
const app = new App();
app.start();
// A link to a place (#user=...&channel=...), or the browser's own address line.
window.addEventListener("hashchange", () => app.follow());
