import { isSuccessStatus, type SendResult } from '../deliveries/outcome.js';
import { RATE_MAX, RATE_MIN } from '../fields/delivery-fields.js';

/** The proof that an endpoint wants deliveries (docs/decisions/0088): what is asked, and which answers prove it. */

export const CHALLENGE_EVENT_TYPE = 'webhook.challenge';

/** The name of asking among what daemons know, and the version from which on they do. */
export const ASKING = { name: 'challenge', since: '0.2.0' };

/** The ways in which an endpoint can prove it, with their meaning. */
export const VERIFICATION_METHODS = {
  OPTIONS: 'Its answer to `OPTIONS` allowed this service, as CloudEvents has it.',
  CHALLENGE: 'It gave back the text of a signed `webhook.challenge`.',
} as const;
export type VerificationMethod = keyof typeof VERIFICATION_METHODS;

export const VERIFICATION_STATUSES = {
  PENDING: 'It has not proved it yet, and is asked by itself at `nextAt`.',
  VERIFIED: 'It has proved it.',
  FAILED: 'It has not proved it, and is asked only when somebody wants it.',
} as const;
export type VerificationStatus = keyof typeof VERIFICATION_STATUSES;

export const CHALLENGE_BYTES = 32;
export const challengeBody = (challenge: string): string => JSON.stringify({ challenge });

/** Headers of "HTTP 1.1 Web Hooks for Event Delivery", a part of CloudEvents. */
export const REQUEST_ORIGIN = 'webhook-request-origin';
const ALLOWED_ORIGIN = 'webhook-allowed-origin';
const ALLOWED_RATE = 'webhook-allowed-rate';

/** The origin that is named where the service knows no address of its own. */
const NAMELESS = 'hookwright';

/** The name under which the service asks. @param publicUrl PUBLIC_URL */
export const originOfService = (publicUrl: string | undefined): string =>
  publicUrl === undefined ? NAMELESS : new URL(publicUrl).hostname;

/** Codes and words of a success that is no proof. Attempts do not have these codes. */
const LACKS = {
  NO_ALLOWED_ORIGIN: 'without WebHook-Allowed-Origin',
  NO_ECHO: 'without the challenge',
} as const;

/** An answer that is a proof, or why it is none: a code, and words. */
type Judged = { isProof: true; ratePerMinute: number | null } | { isProof: false; code: string; said: string };

const isSuccess = (result: SendResult): result is SendResult & { kind: 'response' } =>
  result.kind === 'response' && isSuccessStatus(result.statusCode);

function none(result: SendResult, lack: keyof typeof LACKS): Judged {
  const code = result.kind === 'error' ? result.code : `HTTP_${result.statusCode}`;
  return isSuccess(result)
    ? { isProof: false, code: lack, said: `${code} ${LACKS[lack]}` }
    : { isProof: false, code, said: code };
}

/** Judges the answer to `OPTIONS`. A page that answers 200 to everything names no origin. */
export function judgeOptions(result: SendResult, origin: string): Judged {
  const allowed = isSuccess(result) ? result.headers[ALLOWED_ORIGIN] : undefined;
  const isProof = typeof allowed === 'string' && ['*', origin.toLowerCase()].includes(allowed.trim().toLowerCase());
  return isProof
    ? { isProof, ratePerMinute: rateOf((result as SendResult & { kind: 'response' }).headers[ALLOWED_RATE]) }
    : none(result, 'NO_ALLOWED_ORIGIN');
}

/** Judges the answer to a challenge: a 2xx that has it back, as text or in JSON. */
export function judgeChallenge(result: SendResult, challenge: string): Judged {
  const isProof = isSuccess(result) && !result.bodyTruncated && textIn(result.body.toString().trim()) === challenge;
  return isProof ? { isProof, ratePerMinute: null } : none(result, 'NO_ECHO');
}

function textIn(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as { challenge?: unknown }).challenge : value;
  } catch {
    return body;
  }
}

/** Requests a minute; null: `*`, or nothing that can be a rate. */
const rateOf = (header: string | string[] | undefined): number | null =>
  typeof header === 'string' && /^\s*[1-9]\d{0,8}\s*$/.test(header) ? Number(header) : null;

const MINUTE_SECONDS = 60;

/**
 * The rate that an endpoint allows, as one that people can set. Null: it is above all of them, which is no limit.
 *
 * @param perMinute as the endpoint names it
 */
export function ratePerSecondOf(perMinute: number): number | null {
  const perSecond = perMinute / MINUTE_SECONDS;
  return perSecond > RATE_MAX ? null : Math.max(RATE_MIN, perSecond);
}

/** Whether a url is another endpoint than one before. A query is not: many have a key in it. */
export function isElsewhere(before: string, after: string): boolean {
  const [one, other] = [new URL(before), new URL(after)];
  return one.origin !== other.origin || one.pathname !== other.pathname;
}
