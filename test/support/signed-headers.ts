import { deliveryRequest } from '../../src/domain/deliveries/delivery-request.js';
import { secretKeys } from '../../src/domain/signing/secret.js';

/** The headers of a delivery that is sent now. */
export function signedHeaders({
  secret,
  body,
  event = 'coupon.applied',
  id = 4711,
}: {
  secret: string;
  body: string;
  event?: string;
  id?: number;
}): Record<string, string> {
  return deliveryRequest({
    deliveryId: id,
    eventType: event,
    body,
    keys: { current: secretKeys(secret), previous: null },
    at: new Date(),
    headerPrefix: 'X-Service',
    standardWebhooks: true,
    userAgent: 'Hookwright/1',
  }).headers;
}
