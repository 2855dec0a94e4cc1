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

document.addEventListener("pointerdown", () => {
  clearTimeout(timer);
  isDown = true;
}, true);
// A finger's click comes some time after it was lifted, and after a swipe none does.
for (const kind of ["pointerup", "pointercancel"]) {
  document.addEventListener(kind, () => {
    timer = setTimeout(released, LONGEST_AFTER_MS);
  }, true);
}
window.addEventListener("click", () => {
  timer = setTimeout(released);
});

/** Do `act` now, or as soon as nothing is being pressed; in the order of the calls. */
export function whenReleased(act) {
  if (isDown) waiting.push(act);
  else act();
}
