import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { AuthDraft } from './draft';

export const AUTH_KINDS: Record<AuthDraft['kind'], MessageDescriptor> = {
  NONE: msg`None`,
  BASIC: msg`User name and password`,
  BEARER: msg`Bearer token`,
  API_KEY: msg`API key in a header`,
};
