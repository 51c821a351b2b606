import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const KEY_BYTES = 32;
export const KEY_LIFETIME_SECONDS_MIN = 60;
/** Ten years. */
export const KEY_LIFETIME_SECONDS_MAX = 315_360_000;
const SECRET_CHARS = 43; // 62^43 > 2^256
const CHECKSUM_CHARS = 6; // 62^6 > 2^32
const API_KEY = /^(hw_([1-9][0-9]{0,15})_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * An API key: `hw_<id>_<secret><checksum>`. The id finds its row, the prefix lets scanners find leaked keys, and the
 * checksum (CRC-32 of the text before it) shows a mistyped key without asking the database.
 *
 * @param random KEY_BYTES of chance
 */
export function formatApiKey(id: number, random: Buffer): string {
  const secret = base62(BigInt(`0x${random.toString('hex')}`), SECRET_CHARS);
  const signed = `hw_${id}_${secret}`;
  return signed + checksum(signed);
}

/** The id in a well-formed key, or null. The key is right if the stored hash is equal, compared in constant time. */
export function parseApiKey(text: string): { id: number } | null {
  const [, signed, digits, check] = API_KEY.exec(text) ?? [];
  if (signed === undefined || check !== checksum(signed)) {
    return null;
  }
  const id = Number(digits);
  return Number.isSafeInteger(id) ? { id } : null;
}

/** SHA-256 of the whole key, which is stored. A fast hash is enough: nobody guesses 256 random bits. */
export function hashApiKey(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** With numbers, for every request: one division of a BigInt costs as much as all of this. */
function checksum(text: string): string {
  let digits = '';
  for (let rest = crc32(text); digits.length < CHECKSUM_CHARS; rest = Math.floor(rest / BASE62.length)) {
    digits = BASE62.charAt(rest % BASE62.length) + digits;
  }
  return digits;
}

function base62(value: bigint, chars: number): string {
  let text = '';
  for (let rest = value; text.length < chars; rest /= 62n) {
    text = BASE62.charAt(Number(rest % 62n)) + text;
  }
  return text;
}
