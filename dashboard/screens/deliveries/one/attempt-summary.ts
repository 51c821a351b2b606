import { headerLines } from '../../../parts/header-lines.js';
import { answerText } from './answer.js';

/** Headers of answers in which servers and proxies name a request, as their logs do. */
const REQUEST_IDS = [
  'x-request-id',
  'request-id',
  'x-correlation-id',
  'x-amzn-requestid',
  'x-amz-cf-id',
  'cf-ray',
  'x-vercel-id',
];
/** Headers of a delivery by which a receiver finds it: the first by whatever prefix the service has. */
const DELIVERY_IDS = /(-delivery|^webhook-id)$/;

interface SentAttempt {
  number: number;
  startedAt: string;
  durationMs: number;
}

interface Exchanged {
  method: string;
  url: string;
  statusCode?: number | null;
  errorCode?: string | null;
  requestHeaders: Record<string, unknown>;
  responseHeaders?: Record<string, unknown> | null;
  responseBody?: string | null;
}

/**
 * An attempt as a text for the owner of the endpoint, to find it in a log: the time in UTC, ids, the status and the
 * body of the answer. No signature and no payload is in it.
 */
export function summaryOf({ number, startedAt, durationMs }: SentAttempt, exchange: Exchanged): string {
  const { method, url, requestHeaders, responseHeaders, responseBody } = exchange;
  const body = responseBody && (isBinary(responseBody) ? '(binary)' : responseBody);
  return [
    `${method} ${url}`,
    `Time: ${new Date(startedAt).toISOString()} (attempt ${number})`,
    ...named(requestHeaders, (name) => DELIVERY_IDS.test(name)),
    `Status: ${answerText(exchange)}, after ${Math.round(durationMs)} ms`,
    ...named(responseHeaders ?? {}, (name) => REQUEST_IDS.includes(name)),
    ...(body ? ['', body] : []),
  ].join('\n');
}

function named(headers: Record<string, unknown>, isWanted: (name: string) => boolean): string[] {
  return headerLines(headers)
    .filter(([name]) => isWanted(name.toLowerCase()))
    .map(([name, value]) => `${name}: ${value}`);
}

/** Bytes that are not UTF-8 are U+FFFD in a text: such a body, or one with NUL, is binary. */
export function isBinary(text: string): boolean {
  return /[\uFFFD\0]/.test(text);
}
