// Runs in each runtime, beside the public vectors as a module.
import vectors from './vectors.mjs';

export async function checkVectors(verify) {
  const wrong = [];
  for (const { name, scheme, secrets, headers, bodyBase64, now, expect } of vectors) {
    const body = Uint8Array.from(atob(bodyBase64), (character) => character.charCodeAt(0));
    const options = { scheme, now: new Date(now * 1_000) };
    const verdict = await verify(body, headers, secrets, options).catch(({ code }) => ({ ok: false, reason: code }));
    if (verdict.ok !== expect.ok || verdict.secret !== expect.secret || verdict.reason !== expect.reason) {
      wrong.push({ name, verdict });
    }
  }
  return { checked: vectors.length, wrong };
}
