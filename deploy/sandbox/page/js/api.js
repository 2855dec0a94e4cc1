// Requests to the sandbox, made as the user of this window.

// The message of an error can be shown.
async function send(path, options) {
  let response;
  try {
    response = await fetch(path, { cache: "no-store", ...options });
  } catch {
    throw new Error("The sandbox does not answer.");
  }
  // An answer without JSON is reported by its status.
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new Error(body?.message ?? `The sandbox answered ${response.status}.`);
  return body;
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
