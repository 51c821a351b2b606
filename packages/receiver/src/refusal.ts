/** Why a request was refused (README.md, "Reasons"). */
export type Reason =
  | 'BODY_PARSED'
  | 'BODY_CHANGED'
  | 'HEADERS_CHANGED'
  | 'WRONG_SECRET'
  | 'WRONG_KEY'
  | 'KEYS_UNAVAILABLE'
  | 'NO_SIGNATURE'
  | 'MALFORMED_SIGNATURE'
  | 'TOO_OLD'
  | 'TOO_NEW';

export interface Refusal {
  ok: false;
  reason: Reason;
  /** For the developer: the cause and the remedy. It quotes nothing of the request but numbers. */
  message: string;
  /** The HTTP status to answer with. */
  status: number;
}

/** Faults of the receiver, after which the service should try again. */
const OWN: readonly Reason[] = ['BODY_PARSED', 'KEYS_UNAVAILABLE'];

export function refuse(reason: Reason, message: string): Refusal {
  return { ok: false, reason, message, status: OWN.includes(reason) ? 500 : 401 };
}
