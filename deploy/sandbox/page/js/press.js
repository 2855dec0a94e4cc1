// While something is pressed, nothing on the page moves: updates wait until it is
// released, or the click would hit something else, or nothing.

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
// A touch sends its click some time after the finger is lifted, a swipe none. After a
// context menu, a drag or a change of window, the release may never be reported.
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
