import type { KeyObject } from 'node:crypto';
import { contractSignature, standardSignature } from './signature.js';

export interface DeliveryRequestInput {
  deliveryId: number;
  eventType: string;
  /** The event's body as stored when it was accepted; it is never serialised again. */
  body: string;
  keys: { contract: KeyObject; standard: KeyObject };
  /** The time of this attempt. */
  at: Date;
  /** `X-Service`, or what `HEADER_PREFIX` has put in its place. */
  headerPrefix: string;
  /** Whether the three Standard Webhooks headers are sent as well. */
  standardWebhooks: boolean;
  userAgent: string;
}

export interface DeliveryRequest {
  headers: Record<string, string>;
  /** The very bytes that the signatures cover: send these, never the text. */
  body: Buffer;
}

/**
 * The headers and the body of one attempt (contract §4, "Delivery to the subscriber"). The delivery id is
 * the same on every attempt and the timestamp, in Unix seconds, is not: receivers deduplicate on the
 * first and refuse replays by the second.
 */
export function deliveryRequest(input: DeliveryRequestInput): DeliveryRequest {
  const body = Buffer.from(input.body, 'utf8');
  const id = String(input.deliveryId);
  const timestampSeconds = Math.floor(input.at.getTime() / 1000);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': input.userAgent,
    // Answers are stored as received and never unpacked, so a compressed one would be a riddle (or a bomb).
    'accept-encoding': 'identity',
    [`${input.headerPrefix}-Event`]: input.eventType,
    [`${input.headerPrefix}-Delivery`]: id,
    [`${input.headerPrefix}-Signature`]: contractSignature(input.keys.contract, body),
    [`${input.headerPrefix}-Timestamp`]: String(timestampSeconds),
  };
  if (input.standardWebhooks) {
    headers['webhook-id'] = id;
    headers['webhook-timestamp'] = String(timestampSeconds);
    headers['webhook-signature'] = standardSignature(input.keys.standard, id, timestampSeconds, body);
  }
  return { headers, body };
}
