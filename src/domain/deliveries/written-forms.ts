/**
 * The forms in which programs repeat a text: JSON as each language writes it (RFC 8259 §7 leaves the choice), HTML,
 * URLs and forms, and base64 (RFC 4648). Not known here: other names of HTML than the five of XML, hashes, texts that
 * are broken into lines, and escapes within escapes more than three deep.
 *
 * All texts are bytes, a character for each.
 */

/** A text after some unescaping. */
export interface Layer {
  text: string;
  /** Where each of its bytes, and its end, was in the first text; null: it is the first. */
  at: readonly number[] | null;
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const CONTROL: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

const ESCAPE = new RegExp(
  [
    String.raw`\\u(?<high>d[89ab][0-9a-f]{2})\\u(?<low>d[c-f][0-9a-f]{2})`,
    String.raw`\\u(?<unit>[0-9a-f]{4})`,
    String.raw`\\x(?<byte>[0-9a-f]{2})`,
    String.raw`\\(?<sign>[^ux0-9])`,
    '%(?<percent>[0-9a-f]{2})',
    '&#x(?<hex>[0-9a-f]{1,6});',
    '&#(?<decimal>[0-9]{1,7});',
    '&(?<name>amp|lt|gt|quot|apos);',
  ].join('|'),
  'gi',
);

/** Resolves all escapes, once. Null: there are none. */
export function decoded({ text, at }: Layer): Layer | null {
  const parts: string[] = [];
  const places: number[] = [];
  let end = 0;
  const keep = (bytes: string, from: number, isEscape: boolean) => {
    parts.push(bytes);
    for (let index = 0; index < bytes.length; index += 1) {
      const place = isEscape ? from : from + index;
      places.push(at?.[place] ?? place);
    }
  };
  for (const match of text.matchAll(ESCAPE)) {
    keep(text.slice(end, match.index), end, false);
    keep(meaningOf(match.groups!), match.index, true);
    end = match.index + match[0].length;
  }
  if (end === 0) {
    return null;
  }
  keep(text.slice(end), end, false);
  places.push(at?.[text.length] ?? text.length);
  return { text: parts.join(''), at: places };
}

function meaningOf(groups: Readonly<Record<string, string | undefined>>): string {
  const { high, low, unit, byte, sign, percent, hex, decimal, name } = groups;
  if (high !== undefined) {
    return bytesOf(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low!, 16)));
  }
  if (sign !== undefined) {
    return CONTROL[sign] ?? sign;
  }
  if (name !== undefined) {
    return NAMED[name.toLowerCase()]!;
  }
  const written = byte ?? percent;
  if (written !== undefined) {
    return String.fromCharCode(Number.parseInt(written, 16));
  }
  const point = decimal === undefined ? Number.parseInt((unit ?? hex)!, 16) : Number(decimal);
  return point <= 0x10_ff_ff ? bytesOf(String.fromCodePoint(point)) : '?';
}

/** A text as its bytes of UTF-8, a character for each. */
export const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

/** A character of base64 has this many bits. */
const BITS = 6;

/**
 * The characters of base64 that a secret alone decides within a longer text, at each of the three places that its first
 * byte can have in a group of three bytes.
 */
export function base64Cores(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret, 'latin1')]);
    const first = Math.ceil((before * 8) / BITS);
    const core = bytes.toString('base64').slice(first, Math.floor((bytes.length * 8) / BITS));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
