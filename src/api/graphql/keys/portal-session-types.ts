import 'reflect-metadata';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { KEY_LIFETIME_SECONDS_MAX, KEY_LIFETIME_SECONDS_MIN } from '../../../domain/keys/api-key.js';
import {
  type PortalCapability as Capability,
  INVITATION_DAYS_MAX,
  INVITED_SECONDS_MAX,
  PORTAL_CODE_SECONDS,
  PORTAL_SESSION_SECONDS_MAX,
  type PortalSettings,
  type StoredPortalSettings,
  type PortalTheme as Theme,
} from '../../../domain/keys/portal-session.js';
import type { ApiKey } from '../../../entities/api-key.js';
import { AuditActor } from '../../../entities/audit-entry.js';
import { graphqlEnum } from '../../../entities/graphql-enum.js';
import { Node, NumberedNode, ShowsIdOf } from '../../../entities/node.js';
import { Nullable } from '../../../entities/nullable.js';
import { connectionOf } from '../fields/connection.js';
import { TENANT_NAMED } from '../fields/tenant-in.js';
import { PortalLook, PortalLookInput } from './portal-look-types.js';

export const PortalCapability = graphqlEnum<Capability>('PortalCapability', 'A right of a portal session.', {
  VIEW: 'Look at webhooks, events and deliveries. Every session may.',
  MANAGE_ENDPOINTS: 'Create, change, pause, enable and delete webhooks, and release held deliveries.',
  MANAGE_OPTIONS:
    'Change how endpoints are called, such as their headers and auth, and who gets notices by e-mail. With MANAGE_ENDPOINTS new webhooks may have them too.',
  SEND: 'Test webhooks, and send or cancel single deliveries.',
  SEE_SECRETS:
    'With MANAGE_ENDPOINTS: see the secret of a new webhook, and rotate secrets. Without it the session can create a webhook only by a mutation that does not select `secret`.',
  BULK: 'Recover, replay and cancel many deliveries at once.',
  MANAGE_KEYS: 'Create and revoke API keys and portal sessions, and read the audit log.',
});

export const PortalTheme = graphqlEnum<Theme>('PortalTheme', 'The look of the portal.', {
  LIGHT: 'Dark text on a light background.',
  DARK: 'Light text on a dark background.',
  AUTO: 'As the browser prefers.',
});

const PortalSessionStatus = graphqlEnum('PortalSessionStatus', 'The state of a portal session.', {
  WAITING: 'The link was not opened yet, and still works.',
  ACTIVE: 'The link was opened, and the session can be used.',
  UNOPENED: 'The link was not opened in time.',
  EXPIRED: 'The session was used, and has expired.',
  REVOKED: 'The session was revoked.',
});
type PortalSessionStatus = keyof typeof PortalSessionStatus;

/** A view of the API key of the session. */
@NumberedNode('PortalSession', 'The number of the session, which is also the number of its API key.')
@ObjectType({
  implements: Node,
  description:
    'A session of the portal, in which a person acts for a tenant. It has an API key that no list of keys shows.',
})
export class PortalSession implements PortalSettings {
  id!: number;

  @Field(() => [PortalCapability], { description: 'The rights of the session.' })
  capabilities!: Capability[];

  @Field(() => PortalSessionStatus, { description: 'The state of the session.' })
  status!: PortalSessionStatus;

  @Field(() => Date, { description: 'When the session was created.' })
  createdAt!: Date;

  @Field(() => Date, {
    description: 'When the session expires. Until an invitation is opened: the latest time at which it can expire.',
  })
  expiresAt!: Date;

  @Nullable(() => Date, 'When the session was revoked. Null when it was not.')
  revokedAt!: Date | null;

  @Field(() => Date, { description: 'Until when the link can be opened.' })
  openUntil!: Date;

  @Nullable(() => Date, 'When the link was opened. Null when it was not.')
  exchangedAt!: Date | null;

  @Nullable(() => Date, 'When the session was last used, to the minute. Null when it was never used.')
  lastUsedAt!: Date | null;

  @Field(() => [String], { description: 'Origins of the pages that may show the portal in a frame.' })
  parentOrigins!: string[];

  @Nullable(() => String, 'A language tag (BCP 47). Null for the language of the browser.')
  locale!: string | null;

  @Field(() => PortalTheme, { description: 'The look of the portal.' })
  theme!: Theme;

  @Nullable(() => PortalLook, 'Colours, font and form of the portal. Null for its own.')
  look!: PortalLook | null;

  @Nullable(() => String, 'The url that the portal leads back to, if any.')
  returnUrl!: string | null;

  @Nullable(() => String, 'The screen that the link opens. Null for the first one.')
  path!: string | null;

  @Nullable(() => String, 'The release that endpoints are pinned to that are made in the session. Null: it fixes none.')
  release!: string | null;

  @Nullable(
    () => Int,
    'How many seconds API keys live at most that are created in the session. Null: they end with the session.',
  )
  keysExpireInSeconds!: number | null;

  @Nullable(() => Int, 'For how many days the link can be opened, if it is an invitation. Null: it is not one.')
  invitationDays!: number | null;

  @Nullable(() => AuditActor, 'Who created the session. Null for a session that version 0.1.0 created.')
  createdBy!: AuditActor | null;

  @ShowsIdOf('ApiKey', {
    nullable: true,
    description: 'The API key that created the session. Null when there was none, or when it is not known.',
  })
  createdByKeyId!: number | null;
}

export function portalSessionOf(apiKey: ApiKey, now: Date): PortalSession {
  const { id, createdAt, revokedAt, lastUsedAt, portalExchangedAt: exchangedAt } = apiKey;
  const {
    madeBy,
    path = null,
    look = null,
    release = null,
    ...settings
  } = JSON.parse(apiKey.portalSettings!) as StoredPortalSettings;
  const expiresAt = apiKey.expiresAt!;
  const openUntil = apiKey.portalCodeExpiresAt!;
  const own = { id, path, look, release, createdAt, expiresAt, openUntil, revokedAt, exchangedAt, lastUsedAt };
  const maker = { createdBy: (madeBy?.kind ?? null) as AuditActor | null, createdByKeyId: madeBy?.keyId ?? null };
  return Object.assign(new PortalSession(), settings, own, maker, { status: statusOf(apiKey, now) });
}

function statusOf(
  { revokedAt, expiresAt, portalExchangedAt, portalCodeExpiresAt }: ApiKey,
  now: Date,
): PortalSessionStatus {
  if (revokedAt !== null) {
    return 'REVOKED';
  }
  if (portalExchangedAt !== null) {
    return expiresAt! > now ? 'ACTIVE' : 'EXPIRED';
  }
  return portalCodeExpiresAt! > now ? 'WAITING' : 'UNOPENED';
}

export const PARENT_ORIGINS_MAX = 10;

@InputType({ description: 'The portal session to create.' })
export class CreatePortalSessionInput {
  @Nullable(
    () => ID,
    `The id of the tenant${TENANT_NAMED}. Default: the tenant of the key or of the header Hookwright-Tenant. A platform key must name it in one of these ways.`,
  )
  tenantId?: string | null;

  @Field(() => [PortalCapability], { description: 'The rights of the session. The API key must have them too.' })
  capabilities!: Capability[];

  @Nullable(
    () => Int,
    `Lifetime in seconds: ${KEY_LIFETIME_SECONDS_MIN} to ${PORTAL_SESSION_SECONDS_MAX}, which is the default. The session cannot outlive the API key that creates it. With \`invitationDays\`: counted from the opening, up to ${INVITED_SECONDS_MAX}, which is then the default.`,
  )
  expiresInSeconds?: number | null;

  @Nullable(
    () => [String],
    `Origins of the pages that may show the portal in a frame, such as \`https://app.example.com\`, at most ${PARENT_ORIGINS_MAX}. Without any, no page may. In a portal session: only origins of that session.`,
  )
  parentOrigins?: string[] | null;

  @Nullable(() => String, 'A language tag (BCP 47) such as `en` or `de-CH`. Default: the language of the browser.')
  locale?: string | null;

  @Nullable(() => PortalTheme, 'The look of the portal. Default: AUTO.')
  theme?: Theme | null;

  @Nullable(() => PortalLookInput, 'Colours, font and form of the portal. Default: its own.')
  look?: PortalLookInput | null;

  @Nullable(() => String, 'The url that the portal leads back to: https://, or http:// on this machine.')
  returnUrl?: string | null;

  @Nullable(
    () => String,
    'The screen that the link opens: a path of the portal, such as `/deliveries?status=FAILED`. Default: the first screen.',
  )
  path?: string | null;

  @Nullable(
    () => String,
    'The name of a release: endpoints that are made in the session are pinned to it, and the session changes no endpoint to another one. Default: it fixes none.',
  )
  release?: string | null;

  @Nullable(
    () => Int,
    `With MANAGE_KEYS: how many seconds API keys live at most that are created in the session, ${KEY_LIFETIME_SECONDS_MIN} to ${KEY_LIFETIME_SECONDS_MAX}, and no longer than the API key that creates the session. Default: they end with the session. They are revoked with the session in any case.`,
  )
  keysExpireInSeconds?: number | null;

  @Nullable(
    () => Int,
    `Makes the link an invitation, to send to a person: it opens a page with a button, which begins the session, once, within this many days, 1 to ${INVITATION_DAYS_MAX}. Only for platform keys with \`platform:support\`. The session may outlive the key that creates it, so it cannot have MANAGE_KEYS, and it has no \`parentOrigins\`.`,
  )
  invitationDays?: number | null;
}

@ObjectType({ description: 'The new portal session and its link.' })
export class CreatePortalSessionPayload {
  @Field(() => String, {
    description: `The link. Open it once, in a browser or a frame, within ${PORTAL_CODE_SECONDS} seconds; an invitation within its days, in a browser. It is never shown again.`,
  })
  url!: string;

  @Field(() => PortalSession, { description: 'The stored properties of the session.' })
  session!: PortalSession;
}

@InputType({ description: 'The portal session to revoke.' })
export class RevokePortalSessionInput {
  @Field(() => ID, { description: 'The id of the session.' })
  id!: string;
}

@ObjectType({ description: 'The revoked portal session.' })
export class RevokePortalSessionPayload {
  @Field(() => PortalSession, { description: 'The session after the change.' })
  session!: PortalSession;
}

@InputType({ description: 'Conditions for portal sessions.' })
export class PortalSessionFilter {
  @Nullable(
    () => Boolean,
    'Only sessions that were opened, or still can be, and are neither revoked nor expired; or only the others.',
  )
  active?: boolean | null;
}

export const PortalSessionConnection = connectionOf(PortalSession, 'PortalSession', 'portal sessions');
