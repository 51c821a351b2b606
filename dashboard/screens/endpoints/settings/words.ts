import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { AuthKind } from './draft';

export const AUTH_KINDS: Record<AuthKind, MessageDescriptor> = {
  NONE: msg`None`,
  BASIC: msg`User name and password`,
  USERNAME: msg`User name without a password`,
  BEARER: msg`Bearer token`,
  API_KEY: msg`API key in a header`,
};

export const SIGNATURE_SCHEMES = {
  CONTRACT: msg`Signature of this service`,
  STANDARD_WEBHOOKS: msg`Standard Webhooks`,
} as const;
