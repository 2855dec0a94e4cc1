// Requests to the sandbox, made as the user of this window.

/** A request the sandbox refused; the message can be shown. */
class Refused extends Error {}

async function answer(response) {
  let body = null;
  try {
    body = await response.json();
  } catch {
    // An answer without JSON is reported by its status below.
  }
  if (!response.ok) throw new Refused(body?.message ?? `The sandbox answered ${response.status}.`);
  return body;
}

async function send(path, options) {
  let response;
  try {
    response = await fetch(path, { cache: "no-store", ...options });
  } catch {
    throw new Refused("The sandbox does not answer.");
  }
  return answer(response);
}

/** Load something, with `query` in the address. */
export function load(path, query = {}) {
  return send(`${path}?${new URLSearchParams(query)}`);
}

/** Ask the sandbox to do something and return its answer. */
export function act(path, body) {
  return send(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}
