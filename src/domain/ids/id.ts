/** A positive integer in its shortest decimal form, or null: no other text can be an id. */
export function parseId(text: string): number | null {
  const id = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}
