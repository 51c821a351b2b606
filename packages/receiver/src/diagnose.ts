import { type Claim, readClaim } from './claim.js';
import type { HeaderNames, ReadHeader } from './headers.js';
import { type Refusal, refuse } from './refusal.js';
import { otherForm, type SecretKeys } from './secrets.js';
import { type Bytes, fittingSecret } from './signature.js';

/** Whether a body was changed on the way. @param fits whether the signature fits another body @returns null: it was not */
export async function bodyChange(
  fits: (original: Bytes) => Promise<boolean>,
  body: Bytes,
  header: ReadHeader,
): Promise<Refusal | null> {
  const announced = header('content-length');
  if (announced !== undefined && /^\d+$/.test(announced) && Number(announced) !== body.length) {
    return refuse(
      'BODY_CHANGED',
      `The body has ${body.length} bytes, and Content-Length says ${Number(announced)}: a parser or a proxy rewrote it.`,
    );
  }
  for (const original of possibleOriginals(body)) {
    if (await fits(original)) {
      return refuse(
        'BODY_CHANGED',
        'The signature fits the same JSON with other white space or escapes: a parser or a proxy rewrote the body. ' +
          'Verify the bytes as they came.',
      );
    }
  }
  return null;
}

/** Why no signature fits: the first cause that the request itself shows, else the secret. */
export async function diagnose(
  secrets: readonly SecretKeys[],
  claim: Claim,
  body: Bytes,
  header: ReadHeader,
  names: HeaderNames,
): Promise<Refusal> {
  const fits = async (original: Bytes) => (await fittingSecret(secrets, claim, original)) >= 0;
  const changed = await bodyChange(fits, body, header);
  if (changed !== null) {
    return changed;
  }
  const contract = claim.scheme === 'standard' ? readClaim('contract', header, names) : claim;
  if (contract !== claim && 'signatures' in contract && (await fittingSecret(secrets, contract, body)) >= 0) {
    return refuse(
      'HEADERS_CHANGED',
      `webhook-id or webhook-timestamp was changed on the way, or is of another delivery: ${names.signature} fits.`,
    );
  }
  for (const other of secrets.map(otherForm)) {
    if (other !== null && (await fittingSecret([other], claim, body)) >= 0) {
      return refuse('WRONG_SECRET', `The secret fits as ${other.hint}: set it.`);
    }
  }
  const tried = secrets.map(({ hint }) => hint).join(', ');
  return refuse(
    'WRONG_SECRET',
    `No secret fits (tried: ${tried}). Most often it is that of another webhook or environment.`,
  );
}

/** The JSON as the service writes it, and the body without a last line break. */
function possibleOriginals(body: Bytes): Bytes[] {
  const text = new TextDecoder().decode(body);
  const originals = [text.replace(/\r?\n$/, '')];
  try {
    originals.push(JSON.stringify(JSON.parse(text)));
  } catch {
    // Not JSON, or nested too deeply to be written again.
  }
  return originals.filter((original) => original !== text).map((original) => new TextEncoder().encode(original));
}
