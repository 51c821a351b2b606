import { parseRetryAfter } from './retry-after.js';

/**
 * Reasons for a failure other than the status of the answer, with their meaning for the owner of the endpoint. A name
 * without a DNS answer and one whose answer is refused must read the same to a tenant (or deliveries would map our
 * network): both are DNS_FAILED.
 */
export const SEND_ERRORS = {
  DNS_FAILED: 'the name of the host has no address that may be called',
  TARGET_REFUSED: 'this url may not be called: its scheme, host or port is not allowed here',
  CONNECT_FAILED: 'the connection was refused, or there is no way to the host',
  CONNECT_TIMEOUT: 'no connection was made in time, TLS included',
  TLS_FAILED:
    'the TLS handshake failed: no version, cipher or protocol in common (TLS 1.2 and 1.3 are spoken, and HTTP/1.1, not HTTP/2), or no TLS. Or the endpoint refuses the client certificate of `tls`, or asks for one where none is set',
  TLS_CERTIFICATE_EXPIRED: 'the certificate has expired, or is not valid yet',
  TLS_CERTIFICATE_NAME: 'the certificate is for another name',
  TLS_CERTIFICATE_UNTRUSTED:
    'no authority that is trusted has signed the certificate: it is self-signed, too weak (RSA below 2,048 bits, SHA-1), or the endpoint does not send the whole chain',
  TIMEOUT: 'no answer began in time: its status and headers',
  CONNECTION_RESET:
    'the connection was cut before the answer. So it is too where the endpoint refuses the client certificate, or asks for one, without a word',
  PROTOCOL_ERROR: 'what came is not HTTP/1.1, which alone is spoken',
  CONTENT_LENGTH_TWICE: 'the answer has the header Content-Length more than once',
  HEADERS_TOO_LARGE: 'the headers of the answer are too long',
  MESSAGE_REFUSED:
    'the answer was a success by its status, and its text says that Microsoft Teams has not taken the message',
  AUTH_FAILED: 'nothing was sent: the token server of the webhook gave no access token. `tokenFailure` says why',
  CONTENT_TOO_LARGE:
    'nothing was sent: the content of the webhook makes more of the event than a payload may have, or takes too many steps. The endpoint has no part in it',
} as const;
export type SendErrorCode = keyof typeof SEND_ERRORS;
export const SEND_ERROR_CODES = Object.keys(SEND_ERRORS) as SendErrorCode[];

/** How long each part of an attempt took, in ms; null: it did not happen or did not finish. Absent: none finished. */
export interface AttemptTiming {
  dnsMs: number | null;
  /** TCP; through a proxy all that it takes until the tunnel stands. */
  connectMs: number | null;
  tlsMs: number | null;
  /** From sending the request until the answer's headers were there. */
  firstByteMs: number | null;
}

export type SendResult =
  | {
      kind: 'response';
      statusCode: number;
      /** Names in lower case; a header that came more than once is an array. */
      headers: Record<string, string | string[]>;
      /** `Retry-After` as it came: `headers` are those that are kept, and there may be no room left for it. */
      retryAfter?: string | string[] | undefined;
      /** At most 16 KiB are kept. */
      body: Buffer;
      bodyTruncated: boolean;
      durationMs: number;
      timing?: AttemptTiming | undefined;
    }
  | {
      kind: 'error';
      code: SendErrorCode;
      durationMs: number;
      /** Whether the request was on its way, so that the receiver may have it; default: false. */
      sent?: boolean;
      /** Why there is no token (AUTH_FAILED): a code of `src/domain/oauth/token-failure.ts`. */
      tokenFailure?: string;
      timing?: AttemptTiming | undefined;
    };

/** Errors of an answer that came. */
const BAD_ANSWERS: readonly SendErrorCode[] = ['PROTOCOL_ERROR', 'CONTENT_LENGTH_TWICE', 'HEADERS_TOO_LARGE'];

export const isSuccessStatus = (statusCode: number): boolean => statusCode >= 200 && statusCode <= 299;

/** Whether there was no request, for want of a token. */
export const isWithoutToken = (errorCode: string | null): boolean => errorCode === 'AUTH_FAILED';

/**
 * Whether the request was sent, and ended without an answer: it was reset or closed, or its time was over. Or nothing
 * was sent for want of a token: one question to the token server ends many attempts, as one restart does.
 */
export const isUnanswered = (result: SendResult): boolean =>
  result.kind === 'error' &&
  ((result.sent === true && !BAD_ANSWERS.includes(result.code)) || isWithoutToken(result.code));

export type Outcome =
  | { verdict: 'SUCCEEDED' }
  | {
      verdict: 'FAILED';
      /** A SendErrorCode, or `HTTP_<status>`. */
      errorCode: string;
      /** How long the receiver asked us to wait before the retry; null when it did not. */
      retryAfterMs: number | null;
      /**
       * Milliseconds in which the receiver wants no delivery at all; UNTIMED: it does not say how long; null: the
       * endpoint stays open.
       */
      closing: number | 'UNTIMED' | null;
    }
  | { verdict: 'GONE'; errorCode: 'HTTP_410' };

/**
 * Any 2xx is a success, even with a broken body: the receiver has acknowledged, and sending again would only make a
 * duplicate. 410 asks us never to come back. Everything else is a failure, redirects too. Only 429 and 503 may say how
 * long to wait.
 *
 * @param format of the webhook's content; null: the usual one
 */
export function judge(result: SendResult, now: Date, format: string | null = null): Outcome {
  if (result.kind === 'error') {
    return failed(result.code, null, null);
  }
  const { statusCode } = result;
  if (isSuccessStatus(statusCode)) {
    return (format === 'TEAMS' ? refusalByTeams(result.body) : null) ?? { verdict: 'SUCCEEDED' };
  }
  if (statusCode === 410) {
    return { verdict: 'GONE', errorCode: 'HTTP_410' };
  }
  const errorCode = `HTTP_${statusCode}`;
  if (statusCode !== 429 && statusCode !== 503) {
    return failed(errorCode, null, null);
  }

  const retryAfterMs = parseRetryAfter(result.retryAfter, now);
  // "Wait 0 seconds", or until a time that has passed, cannot close anything: it counts as no hint here.
  return failed(errorCode, retryAfterMs, retryAfterMs || (statusCode === 429 ? 'UNTIMED' : null));
}

const REFUSED_BY_TEAMS = /Webhook message delivery failed(?:.*?HTTP error (\d{3}))?/is;

/** Old connectors of Microsoft Teams answer 200, and have the failure and its status in their text. */
function refusalByTeams(body: Buffer): Outcome | null {
  const found = REFUSED_BY_TEAMS.exec(body.toString());
  return found && failed('MESSAGE_REFUSED', null, found[1] === '429' ? 'UNTIMED' : null);
}

const CONTENT_TOO_LARGE = 'CONTENT_TOO_LARGE';

/** Whether it says something of the endpoint. */
export const isOfEndpoint = (outcome: Outcome): boolean =>
  outcome.verdict === 'SUCCEEDED' || outcome.errorCode !== CONTENT_TOO_LARGE;

/** The end of an attempt without a request: the content is too large, and would be so again. */
export const NOT_SENT: {
  isSameClosing: false;
  requestHeaders: Record<string, string>;
  result: SendResult;
  outcome: Outcome;
  retryInMs: null;
} = {
  isSameClosing: false,
  requestHeaders: {},
  result: { kind: 'error', code: CONTENT_TOO_LARGE, durationMs: 0 },
  outcome: failed(CONTENT_TOO_LARGE, null, null),
  retryInMs: null,
};

function failed(errorCode: string, retryAfterMs: number | null, closing: number | 'UNTIMED' | null): Outcome {
  return { verdict: 'FAILED', errorCode, retryAfterMs, closing };
}
