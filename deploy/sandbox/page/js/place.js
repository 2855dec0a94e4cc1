// The user and channel are part of the address: #user=...&channel=..., so that
// two windows can be two people and a reload comes back to the same place.

/** Read the user and channel of the address; either may be a name or missing. */
export function readPlace() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const query = new URLSearchParams(location.search);
  return {
    user: parts.get("user") ?? query.get("user"),
    channel: parts.get("channel") ?? query.get("channel"),
  };
}

/** Return the fragment for a user and channel. */
export function placeLink(user, channel) {
  const parts = new URLSearchParams({ user });
  if (channel) parts.set("channel", channel);
  return `#${parts}`;
}

/** Write the place into the address without a history entry. */
export function writePlace(user, channel) {
  const link = placeLink(user, channel);
  if (location.hash !== link) history.replaceState(null, "", link);
}
