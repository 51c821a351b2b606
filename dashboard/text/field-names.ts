import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { webhookFields } from '../../src/domain/fields/webhook-fields';

interface FieldName {
  name: MessageDescriptor;
  /** What to write into it. */
  hint: MessageDescriptor;
}

/** The labels of an endpoint's fields. */
export const ENDPOINT_FIELDS: Record<keyof typeof webhookFields, FieldName> = {
  url: { name: msg`URL`, hint: msg`A public https address that takes POST requests.` },
  eventTypes: {
    name: msg`Event types`,
    hint: msg`Events of these types are sent to the URL. You can change them at any time.`,
  },
};
