import { randomBytes } from 'node:crypto';

/** Replaces a text while the rest is written. Random and never sent to a client, so no payload can contain it. */
const MARKER = `json:${randomBytes(16).toString('hex')}`;
const WRITTEN_MARKER = JSON.stringify(MARKER);

/** The texts of the answer that is being written, in their order. */
let texts: string[] = [];

/** Valid JSON that is written into an answer unchanged. Parsing it would take twenty times its memory. */
export class JsonText {
  constructor(readonly text: string) {}

  toJSON(): string {
    texts.push(this.text);
    return MARKER;
  }
}

/** Writes a value with JsonTexts in it. @throws RangeError for a text that is too long or nested too deep */
export function writeJson(value: object): string {
  texts = [];
  try {
    const text = JSON.stringify(value);
    let next = 0;
    return texts.length === 0 ? text : text.replaceAll(WRITTEN_MARKER, () => texts[next++]!);
  } finally {
    texts = [];
  }
}
