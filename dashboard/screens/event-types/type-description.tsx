import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import type { TEST_EVENT_TYPE } from '../../../src/domain/events/event-type';
import type { OperationalEventType } from '../../../src/domain/events/operational-events';
import { Untrusted } from '../../parts/untrusted';

/** The service's own types, in the words and the language of the dashboard: the API's are English, and of webhooks. */
const OWN: Readonly<Record<OperationalEventType | typeof TEST_EVENT_TYPE, MessageDescriptor>> = {
  'webhook.test': msg`When you send a test.`,
  'delivery.exhausted': msg`When a delivery to another endpoint has failed for good: its retries are used up, or it answered 410.`,
  'webhook.certificate_ending': msg`When a certificate of another endpoint ends within 14 days, and again within 3.`,
  'webhook.disabled': msg`When failures in a row, or a 410, have disabled another endpoint. Not sent when someone pauses it.`,
  'webhook.failing': msg`When five attempts in a row at another endpoint have failed. Ten disable it.`,
  'webhook.held_expiring': msg`24 hours before held deliveries of another endpoint are canceled. Half-way if they are held for less than 48 hours.`,
  'webhook.key_blocked': msg`When another endpoint stops sending a key, because a delivery of it has failed for good.`,
  'webhook.recovered': msg`When another endpoint, disabled by failures and enabled again, has its first success.`,
};

/** When events of a type happen: in the words of its operator, and of the service's own types in ours. */
export function TypeDescription({ name, description }: { name: string; description: string }) {
  const { i18n } = useLingui();
  const own = Object.hasOwn(OWN, name) ? OWN[name as keyof typeof OWN] : undefined;
  return own === undefined ? <Untrusted text={description} /> : i18n._(own);
}
