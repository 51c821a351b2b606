import Negotiator from 'negotiator';
import { BoundedMap } from '../../domain/bounded-map.js';

/** The first is the default. */
export const ANSWER_TYPES = ['application/json', 'application/graphql-response+json'] as const;
export type AnswerType = (typeof ANSWER_TYPES)[number];

/** Part of the type, so that a client which accepts only another charset is refused. */
const CHARSET = '; charset=utf-8';
const offered = ANSWER_TYPES.map((type) => `${type}${CHARSET}`);

const known = new BoundedMap<string, AnswerType | null>(100);

/** Chooses the type of an answer by the header `Accept` (RFC 9110 §12.5.1). Null when the client accepts neither. */
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
