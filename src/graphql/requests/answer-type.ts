export const JSON_TYPE = 'application/json';
const RESPONSE_TYPE = 'application/graphql-response+json';

export type AnswerType = typeof JSON_TYPE | typeof RESPONSE_TYPE;

/** A media range of the header `Accept`, and its place there. */
interface MediaRange {
  name: string;
  quality: number;
  place: number;
}

/**
 * Chooses the type of an answer (RFC 9110 §12.5.1): the accepted one with the higher quality, else the one that is
 * named first, else application/json.
 *
 * @param accept the header; none accepts everything
 * @returns null when it accepts neither
 */
export function answerTypeFor(accept: string | undefined): AnswerType | null {
  const ranges = (accept || '*/*').split(',').flatMap(mediaRange);
  const ofJson = rangeFor(JSON_TYPE, ranges);
  const ofResponse = rangeFor(RESPONSE_TYPE, ranges);
  if (ofJson === undefined || ofResponse === undefined) {
    return ofJson ? JSON_TYPE : ofResponse ? RESPONSE_TYPE : null;
  }
  const isBetter = ofResponse.quality - ofJson.quality || ofJson.place - ofResponse.place;
  return isBetter > 0 ? RESPONSE_TYPE : JSON_TYPE;
}

/** The most specific range of a type, unless that refuses it. */
function rangeFor(type: AnswerType, ranges: readonly MediaRange[]): MediaRange | undefined {
  const found = [type, 'application/*', '*/*']
    .map((wanted) => ranges.find(({ name }) => name === wanted))
    .find((range) => range !== undefined);
  return found?.quality === 0 ? undefined : found;
}

/** Answers are in UTF-8: a range of another charset is none of them. */
function mediaRange(text: string, place: number): MediaRange[] {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const values = new Map(parameters.map((parameter) => keyAndValue(parameter)));
  const quality = Number.parseFloat(values.get('q') ?? '1');
  const isUtf8 = (values.get('charset') ?? 'utf-8') === 'utf-8';
  return isUtf8 ? [{ name, quality: Number.isNaN(quality) ? 1 : quality, place }] : [];
}

/** A value may stand in quotes (RFC 9110 §5.6.6). */
function keyAndValue(parameter: string): [key: string, value: string] {
  const [key = '', value = ''] = parameter.split('=', 2);
  return [key, value.replace(/^"(.*)"$/, '$1')];
}
