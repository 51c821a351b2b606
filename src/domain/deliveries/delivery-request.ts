import type { SecretKeys } from '../signing/secret.js';
import { contractSignature, standardSignature } from '../signing/signature.js';
import type { DeliveryMethod } from './delivery-method.js';

export interface SigningKeySet {
  current: SecretKeys;
  /** The secret before the last rotation; null when the overlap is over. */
  previous: SecretKeys | null;
}

export interface DeliveryRequestInput {
  deliveryId: number;
  eventType: string;
  /** The event's body as stored when it was accepted; it is never serialised again. */
  body: string;
  keys: SigningKeySet;
  at: Date;
  /** `HEADER_PREFIX`, by default `X-Service`. */
  headerPrefix: string;
  /** Whether the three Standard Webhooks headers are sent as well. */
  standardWebhooks: boolean;
  userAgent: string;
  method?: DeliveryMethod;
}

export interface DeliveryRequest {
  /** Default: POST. */
  method?: DeliveryMethod | 'OPTIONS' | undefined;
  /** Behind the path of the url; none: it is sent to the url itself. */
  path?: string | null;
  headers: Record<string, string>;
  /** The very bytes that the signatures cover: send these, never the text. */
  body: Buffer;
}

/**
 * The headers and the body of one attempt (docs/interface.md, "Deliveries").
 *
 * `X-Service-Signature` has room for one signature, and its receivers know one secret: while an overlap lasts, that is
 * the previous one, so that they go on verifying until they have the new one. Standard Webhooks receivers take any of
 * several, so they get both, the new one first.
 */
export function deliveryRequest(input: DeliveryRequestInput): DeliveryRequest {
  const body = Buffer.from(input.body, 'utf8');
  const id = String(input.deliveryId);
  const timestampSeconds = Math.floor(input.at.getTime() / 1000);
  const { current, previous } = input.keys;
  const headers = fixedHeaders(input);
  const names = namesOf(input.headerPrefix);
  headers[names.signature] = contractSignature((previous ?? current).contract, body);
  headers[names.timestamp] = String(timestampSeconds);
  if (input.standardWebhooks) {
    headers['webhook-id'] = id;
    headers['webhook-timestamp'] = String(timestampSeconds);
    const sign = ({ standard }: SecretKeys) => standardSignature(standard, id, timestampSeconds, body);
    headers['webhook-signature'] = previous === null ? sign(current) : `${sign(current)} ${sign(previous)}`;
  }
  return { method: input.method, headers, body };
}

/** The headers that are always sent, and the same at each attempt. */
export function fixedHeaders({
  deliveryId,
  eventType,
  headerPrefix,
  userAgent,
}: Pick<DeliveryRequestInput, 'deliveryId' | 'eventType' | 'headerPrefix' | 'userAgent'>): Record<string, string> {
  const names = namesOf(headerPrefix);
  return {
    'content-type': 'application/json',
    'user-agent': userAgent,
    // Not for the receiver: the usual rules of web application firewalls refuse a request without it.
    accept: '*/*',
    // Answers are stored as received and never unpacked, so a compressed one would be a riddle (or a bomb).
    'accept-encoding': 'identity',
    [names.event]: eventType,
    [names.delivery]: String(deliveryId),
  };
}

const namesFor = (prefix: string) => ({
  event: `${prefix}-Event`,
  delivery: `${prefix}-Delivery`,
  signature: `${prefix}-Signature`,
  timestamp: `${prefix}-Timestamp`,
});

/** The names of the contract's headers for a signature, that of the signature first. */
export const signatureHeaders = (prefix: string): string[] => {
  const { signature, timestamp } = namesOf(prefix);
  return [signature, timestamp];
};

/** The same of Standard Webhooks. */
export const standardHeaders: readonly string[] = ['webhook-signature', 'webhook-id', 'webhook-timestamp'];

/** Made once: a text that was just put together is slow as a property's name. */
let known = { prefix: '', names: namesFor('') };

function namesOf(prefix: string): ReturnType<typeof namesFor> {
  if (known.prefix !== prefix) {
    known = { prefix, names: namesFor(prefix) };
  }
  return known.names;
}
