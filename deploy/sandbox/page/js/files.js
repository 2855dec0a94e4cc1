// Files sent with a command or a dialog, in the form the sandbox accepts.

function read(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    // "data:text/plain;base64,AAAA": what follows the comma is the file.
    reader.addEventListener("load", () => resolve({ file: file.name, data: reader.result.split(",")[1] ?? "" }));
    reader.addEventListener("error", () => reject(new Error(`${file.name} could not be read.`)));
    reader.readAsDataURL(file);
  });
}

async function whole(value) {
  if (value instanceof File) return read(value);
  return Array.isArray(value) ? Promise.all(value.map(whole)) : value;
}

/** Return `values` with {file, data} in place of each File. */
export async function withFiles(values) {
  const entries = await Promise.all(Object.entries(values).map(async ([key, value]) => [key, await whole(value)]));
  return Object.fromEntries(entries);
}
