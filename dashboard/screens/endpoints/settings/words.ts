import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { AuthKind } from './draft';
import type { OAuthDraft } from './oauth-draft';

export const AUTH_KINDS: Record<AuthKind, MessageDescriptor> = {
  NONE: msg`None`,
  BASIC: msg`User name and password`,
  USERNAME: msg`User name without a password`,
  BEARER: msg`Bearer token`,
  API_KEY: msg`API key in a header`,
  OAUTH2: msg`OAuth 2 client credentials`,
};

export const CLIENT_AUTHS: Record<OAuthDraft['clientAuth'], MessageDescriptor> = {
  BASIC: msg`in the header Authorization`,
  BODY: msg`in the body of the request`,
};

export const SIGNATURE_SCHEMES = {
  CONTRACT: msg`Signature of this service`,
  STANDARD_WEBHOOKS: msg`Standard Webhooks`,
} as const;
