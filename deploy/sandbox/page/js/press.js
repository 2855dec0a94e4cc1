// Between pressing a thing and letting it go nothing on the page moves: what comes
// meanwhile waits, or the click would hit something else, or nothing.

const LONGEST_AFTER_MS = 100;

let isDown = false;
let timer = null;
const waiting = [];

function released() {
  clearTimeout(timer);
  isDown = false;
  for (const act of waiting.splice(0)) act();
}

function releasedSoon() {
  clearTimeout(timer);
  timer = setTimeout(released, LONGEST_AFTER_MS);
}

document.addEventListener("pointerdown", (event) => {
  if (event.button !== 0) return;
  clearTimeout(timer);
  isDown = true;
}, true);
// A finger's click comes some time after it was lifted, and after a swipe none does. What
// opens a menu, is dragged out or loses the window may never be told as lifted.
for (const kind of ["pointerup", "pointercancel", "contextmenu", "dragend"]) document.addEventListener(kind, releasedSoon, true);
window.addEventListener("blur", releasedSoon);
window.addEventListener("click", () => {
  clearTimeout(timer);
  timer = setTimeout(released);
});

/** Do `act` now, or as soon as nothing is being pressed; in the order of the calls. */
export function whenReleased(act) {
  if (isDown) waiting.push(act);
  else act();
}
