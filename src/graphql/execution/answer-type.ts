import Negotiator from 'negotiator';
import { BoundedMap } from '../../domain/bounded-map.js';

/** The first one is for clients that have no preference. */
export const ANSWER_TYPES = ['application/json', 'application/graphql-response+json'] as const;
export type AnswerType = (typeof ANSWER_TYPES)[number];

/** Answers are in UTF-8: a range of another charset is none of them. */
const CHARSET = '; charset=utf-8';
const offered = ANSWER_TYPES.map((type) => `${type}${CHARSET}`);

/** Clients are of a few kinds, and each sends the same header with every request. */
const known = new BoundedMap<string, AnswerType | null>(100);

/**
 * Chooses the type of an answer (RFC 9110 §12.5.1).
 *
 * @param accept the header; none accepts everything
 * @returns null when it accepts neither
 */
export function answerTypeFor(accept: string | undefined): AnswerType | null {
  if (accept === undefined) {
    return ANSWER_TYPES[0];
  }
  let type = known.get(accept);
  if (type === undefined) {
    const chosen = new Negotiator({ headers: { accept } }).mediaType(offered);
    type = ANSWER_TYPES[offered.indexOf(chosen ?? '')] ?? null;
    known.set(accept, type);
  }
  return type;
}
