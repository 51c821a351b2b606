import type { SendResult } from './outcome.js';
import { base64Cores, bytesOf, decoded, type Layer } from './written-forms.js';

/**
 * Hides the secrets of requests wherever people read about them: in the headers of attempts, which screens, exports and
 * commands show, and in answers that repeat them.
 */

export const HIDDEN = '[secret]';

/** Shorter secrets are words that answers have by chance. */
const LOOKED_FOR_CHARS_MIN = 8;

/** JSON in a query of a link in HTML. */
const LAYERS_MAX = 3;

/** Where a secret is: from its first byte to the one behind its last. */
type Span = readonly [from: number, to: number];

/**
 * A result whose answer has no copy of a secret: as it was sent, as programs write it into JSON, HTML and URLs
 * (`src/domain/deliveries/written-forms.ts`), and in base64.
 */
export function withoutSecrets(result: SendResult, secrets: readonly string[]): SendResult {
  const looked = secrets.filter(({ length }) => length >= LOOKED_FOR_CHARS_MIN).map(bytesOf);
  if (result.kind !== 'response' || looked.length === 0) {
    return result;
  }
  const needles = needlesFor(looked);
  // Node reads a byte of a header as a character.
  const hide = (text: string) => hidden(text, needles, false);
  const headers = Object.entries(result.headers).map(([name, value]) => [
    hide(name),
    Array.isArray(value) ? value.map(hide) : hide(value),
  ]);
  const body = hidden(result.body.toString('latin1'), needles, result.bodyTruncated);
  return { ...result, headers: Object.fromEntries(headers), body: Buffer.from(body, 'latin1') };
}

interface Needles {
  plain: readonly string[];
  /** A secret that has escapes itself loses them with those around it. */
  unescaped: readonly string[];
  base64: readonly string[];
}

function needlesFor(secrets: readonly string[]): Needles {
  const unescaped = secrets.flatMap((secret) => layersOf(secret).map(({ text }) => text));
  return {
    plain: [...new Set(secrets.flatMap((secret) => [secret, secret.replaceAll(' ', '+')]))],
    unescaped: [...new Set(unescaped)].filter(({ length }) => length >= LOOKED_FOR_CHARS_MIN),
    base64: [...new Set(secrets.flatMap(base64Cores))].filter(({ length }) => length >= LOOKED_FOR_CHARS_MIN),
  };
}

/** A text, and what it means once and several times unescaped. */
function layersOf(text: string): Layer[] {
  const layers: Layer[] = [{ text, at: null }];
  for (let layer = decoded(layers[0]!); layer !== null && layers.length <= LAYERS_MAX; layer = decoded(layer)) {
    layers.push(layer);
  }
  return layers;
}

function hidden(text: string, { plain, unescaped, base64 }: Needles, isCut: boolean): string {
  const spans = layersOf(text).flatMap((layer, depth) => {
    const needles = depth === 0 ? [...plain, ...base64] : [...plain, ...unescaped];
    const found = needles.flatMap((needle) => copiesIn(layer, needle));
    const begun = isCut ? begunIn(layer, needles, text.length) : null;
    return begun === null ? found : [...found, begun];
  });
  return replaced(text, spans);
}

function copiesIn({ text, at }: Layer, needle: string): Span[] {
  const spans: Span[] = [];
  for (let from = text.indexOf(needle); from !== -1; from = text.indexOf(needle, from + needle.length)) {
    const to = from + needle.length;
    spans.push([at?.[from] ?? from, at?.[to] ?? to]);
  }
  return spans;
}

/** An escape that the end of the text has cut in two. */
const CUT_ESCAPE = /(?:\\(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?|%[0-9a-f]?|&#?[0-9a-z]{0,6})$/i;

/** Where a text was cut, it may end with the beginning of a secret. */
function begunIn({ text, at }: Layer, needles: readonly string[], end: number): Span | null {
  const begun = [text, text.replace(CUT_ESCAPE, '')].flatMap((ending) => {
    const length = Math.max(...needles.map((needle) => begunLength(needle, ending)));
    return length >= LOOKED_FOR_CHARS_MIN ? [ending.length - length] : [];
  });
  const from = Math.min(...begun);
  return begun.length > 0 ? [at?.[from] ?? from, end] : null;
}

/** The length of the longest beginning of `needle`, short of all of it, that ends `text` (Knuth, Morris, Pratt). */
function begunLength(needle: string, text: string): number {
  const all = `${needle}\uffff${text.slice(1 - needle.length)}`;
  const borders = new Uint16Array(all.length);
  for (let index = 1; index < all.length; index += 1) {
    let border = borders[index - 1]!;
    while (border > 0 && all[border] !== all[index]) {
      border = borders[border - 1]!;
    }
    borders[index] = all[border] === all[index] ? border + 1 : 0;
  }
  return borders.at(-1)!;
}

function replaced(text: string, spans: readonly Span[]): string {
  const parts: string[] = [];
  let end = 0;
  for (const [from, to] of spans.toSorted(([one], [other]) => one - other)) {
    if (from >= end) {
      parts.push(text.slice(end, from), HIDDEN);
    }
    end = Math.max(end, to);
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(end);
}
