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
  url: { name: msg`URL`, hint: msg`A public address that accepts POST requests.` },
  eventTypes: {
    name: msg`Event types`,
    hint: msg`The URL receives events of these types. You can change them at any time.`,
  },
};
