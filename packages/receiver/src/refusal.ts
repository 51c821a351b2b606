/** Why a request was refused (README.md, "Reasons"). */
export type Reason =
  | 'BODY_PARSED'
  | 'BODY_CHANGED'
  | 'HEADERS_CHANGED'
  | 'WRONG_SECRET'
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

/** A parsed body is a fault of the receiver, which the service should try again: 500. */
export function refuse(reason: Reason, message: string): Refusal {
  return { ok: false, reason, message, status: reason === 'BODY_PARSED' ? 500 : 401 };
}
