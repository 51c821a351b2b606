import type { DeliveryAuthInput, EndpointOptionsFragment } from '../../../api/generated/graphql.js';

type StoredAuth = NonNullable<EndpointOptionsFragment['delivery']['auth']>;
type OAuthInput = NonNullable<DeliveryAuthInput['oauth2']>;

/** OAuth 2 as somebody writes it, but for the client secret. Optional texts are empty where they are not set. */
export interface OAuthDraft {
  tokenUrl: string;
  clientId: string;
  scope: string;
  audience: string;
  clientAuth: NonNullable<OAuthInput['clientAuth']>;
}

export const NO_OAUTH: OAuthDraft = { tokenUrl: '', clientId: '', scope: '', audience: '', clientAuth: 'BASIC' };

export const oauthOf = (auth: StoredAuth | null | undefined): OAuthDraft =>
  auth?.kind === 'OAUTH2'
    ? {
        tokenUrl: auth.tokenUrl ?? '',
        clientId: auth.clientId ?? '',
        scope: auth.scope ?? '',
        audience: auth.audience ?? '',
        clientAuth: auth.clientAuth ?? NO_OAUTH.clientAuth,
      }
    : NO_OAUTH;

export const isSameOAuth = (one: OAuthDraft, other: OAuthDraft): boolean =>
  (Object.keys(NO_OAUTH) as (keyof OAuthDraft)[]).every((name) => one[name] === other[name]);

/** Whether the stored client secret may go where the draft sends it: it stays with its server, id and way. */
export const keepsClientSecret = (draft: OAuthDraft, stored: StoredAuth | null | undefined): boolean => {
  const before = oauthOf(stored);
  return (
    stored?.kind === 'OAUTH2' &&
    draft.clientId === before.clientId &&
    draft.clientAuth === before.clientAuth &&
    originOf(draft.tokenUrl) === originOf(before.tokenUrl)
  );
};

/** @param secret empty: the one that is stored stays */
export const oauthInput = ({ scope, audience, ...draft }: OAuthDraft, secret: string): OAuthInput => ({
  ...draft,
  scope: scope.trim() || null,
  audience: audience.trim() || null,
  ...(secret === '' ? {} : { clientSecret: secret }),
});

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);
