import { randomBytes } from 'node:crypto';

/** Stands for a text while the rest is written. Of chance, and never told: nobody can have it in a text of theirs. */
const PLACE = `json:${randomBytes(16).toString('hex')}`;
const WRITTEN_PLACE = JSON.stringify(PLACE);

/** The texts of the answer that is being written, in their order. */
let texts: string[] = [];

/**
 * Valid JSON that stands in an answer as it is. Parsed, small parts would take twenty times their room, and a page has
 * a hundred payloads; and it would only be written again.
 */
export class JsonText {
  constructor(readonly text: string) {}

  /** For `writeJson`. */
  toJSON(): string {
    texts.push(this.text);
    return PLACE;
  }
}

/** As JSON.stringify, with a JsonText as it is. @throws RangeError for a text that is too long, or nested too deep */
export function writeJson(value: object): string {
  texts = [];
  try {
    const text = JSON.stringify(value);
    let next = 0;
    return texts.length === 0 ? text : text.replaceAll(WRITTEN_PLACE, () => texts[next++]!);
  } finally {
    texts = [];
  }
}
