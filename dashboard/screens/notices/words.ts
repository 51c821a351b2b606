import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { NoticeDigest, NoticeTopic } from '../../api/generated/graphql';

export const TOPICS: Record<NoticeTopic, { name: MessageDescriptor; hint: MessageDescriptor }> = {
  FAILING: { name: msg`Failing`, hint: msg`Five requests in a row have failed.` },
  DISABLED: { name: msg`Disabled`, hint: msg`An endpoint was disabled; again after 1 and 3 days.` },
  RECOVERED: { name: msg`Recovered`, hint: msg`A disabled endpoint works again.` },
  HELD_EXPIRING: { name: msg`Held deliveries expire`, hint: msg`Held deliveries will be canceled soon.` },
  EXHAUSTED: { name: msg`Deliveries failed`, hint: msg`Deliveries have failed for good.` },
  KEY_BLOCKED: { name: msg`Key blocked`, hint: msg`A failure has stopped the deliveries of a key.` },
  CERTIFICATE: { name: msg`Certificate ends`, hint: msg`A certificate of an endpoint ends within 14 days.` },
};

export const ALL_TOPICS = Object.keys(TOPICS) as NoticeTopic[];

export const DIGESTS: Record<NoticeDigest, MessageDescriptor> = {
  AT_ONCE: msg`after a minute`,
  DAILY: msg`daily at 08:00`,
};
