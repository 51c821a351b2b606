import 'reflect-metadata';
import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import {
  PORTAL_CODE_SECONDS,
  PORTAL_SESSION_SECONDS_MAX,
  PortalCapability,
  type PortalSettings,
  PortalTheme,
} from '../../domain/keys/portal-session.js';
import type { ApiKey } from '../../entities/api-key.js';
import { Node, NumberedNode } from '../../entities/node.js';
import { KEY_LIFETIME_SECONDS_MIN } from '../../operations/keys/create-api-key.js';
import { connectionOf } from '../fields/connection.js';

registerEnumType(PortalCapability, {
  name: 'PortalCapability',
  description: 'What a portal session may do.',
  valuesConfig: {
    VIEW: { description: 'Look at webhooks, events and deliveries. Every session may.' },
    MANAGE_ENDPOINTS: { description: 'Make, change, pause, enable and delete webhooks, and release what they hold.' },
    SEND: { description: 'Test webhooks, and send or cancel single deliveries.' },
    SEE_SECRETS: {
      description:
        'With MANAGE_ENDPOINTS: see the secret of a new webhook, and rotate secrets. Without it a webhook can be made only by a mutation that does not select `secret`.',
    },
    BULK: { description: 'Recover, replay and cancel many deliveries at once.' },
    MANAGE_KEYS: { description: 'Make and revoke API keys and portal sessions, and read the audit log.' },
  },
});

registerEnumType(PortalTheme, {
  name: 'PortalTheme',
  description: 'How the portal looks.',
  valuesConfig: {
    LIGHT: { description: 'Dark on light.' },
    DARK: { description: 'Light on dark.' },
    AUTO: { description: 'As the browser of the person prefers.' },
  },
});

enum PortalSessionStatus {
  WAITING = 'WAITING',
  ACTIVE = 'ACTIVE',
  UNOPENED = 'UNOPENED',
  EXPIRED = 'EXPIRED',
  REVOKED = 'REVOKED',
}
registerEnumType(PortalSessionStatus, {
  name: 'PortalSessionStatus',
  description: 'How far a portal session is.',
  valuesConfig: {
    WAITING: { description: 'Its link was not opened yet, and still works.' },
    ACTIVE: { description: 'Its link was opened, and it can be used.' },
    UNOPENED: { description: 'Its link was not opened in time.' },
    EXPIRED: { description: 'It was used, and is over.' },
    REVOKED: { description: 'It was revoked.' },
  },
});

/** Made from the API key that lies under the session. */
@NumberedNode('PortalSession', 'Its number, which is also that of the API key under it.')
@ObjectType({
  implements: Node,
  description:
    'A session of the portal, in which somebody acts for a tenant. Under it lies an API key that stands in no list of keys.',
})
export class PortalSession implements PortalSettings {
  id!: number;

  @Field(() => [PortalCapability], { description: 'What it may do.' })
  capabilities!: PortalCapability[];

  @Field(() => PortalSessionStatus, { description: 'How far it is.' })
  status!: PortalSessionStatus;

  @Field(() => Date, { description: 'When it was made.' })
  createdAt!: Date;

  @Field(() => Date, { description: 'When it expires.' })
  expiresAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When it was revoked; null when it was not.' })
  revokedAt!: Date | null;

  @Field(() => Date, { nullable: true, description: 'When its link was opened; null when it was not.' })
  exchangedAt!: Date | null;

  @Field(() => Date, { nullable: true, description: 'When it was last used, to the minute; null when it never was.' })
  lastUsedAt!: Date | null;

  @Field(() => [String], { description: 'The origins of the pages that may show it in a frame.' })
  parentOrigins!: string[];

  @Field(() => String, { nullable: true, description: "A language tag (BCP 47); null: the browser's." })
  locale!: string | null;

  @Field(() => PortalTheme, { description: 'How it looks.' })
  theme!: PortalTheme;

  @Field(() => String, { nullable: true, description: 'Where the portal leads back to; null: nowhere.' })
  returnUrl!: string | null;
}

/** @param now decides between what waits, lives and is over */
export function portalSessionOf(apiKey: ApiKey, now: Date): PortalSession {
  const { id, createdAt, revokedAt, lastUsedAt, portalExchangedAt: exchangedAt } = apiKey;
  const settings = JSON.parse(apiKey.portalSettings!) as PortalSettings;
  const expiresAt = apiKey.expiresAt!;
  const own = { id, createdAt, expiresAt, revokedAt, exchangedAt, lastUsedAt };
  return Object.assign(new PortalSession(), settings, own, { status: statusOf(apiKey, now) });
}

function statusOf(
  { revokedAt, expiresAt, portalExchangedAt, portalCodeExpiresAt }: ApiKey,
  now: Date,
): PortalSessionStatus {
  if (revokedAt !== null) {
    return PortalSessionStatus.REVOKED;
  }
  if (portalExchangedAt !== null) {
    return expiresAt! > now ? PortalSessionStatus.ACTIVE : PortalSessionStatus.EXPIRED;
  }
  return portalCodeExpiresAt! > now ? PortalSessionStatus.WAITING : PortalSessionStatus.UNOPENED;
}

export const PARENT_ORIGINS_MAX = 10;

@InputType({ description: 'A portal session to make.' })
export class CreatePortalSessionInput {
  @Field(() => ID, {
    nullable: true,
    description:
      'The tenant. Without it the one of the key, or of the header Hookwright-Tenant; a platform key names it in either way.',
  })
  tenantId?: string | null;

  @Field(() => [PortalCapability], { description: 'What it may do: nothing that the API key may not do itself.' })
  capabilities!: PortalCapability[];

  @Field(() => Int, {
    nullable: true,
    description: `How long it lives, in seconds: ${KEY_LIFETIME_SECONDS_MIN} to ${PORTAL_SESSION_SECONDS_MAX}, which is the default. It ends with the API key that makes it at the latest.`,
  })
  expiresInSeconds?: number | null;

  @Field(() => [String], {
    nullable: true,
    description: `The origins of the pages that may show the portal in a frame, such as \`https://app.example.com\`, ${PARENT_ORIGINS_MAX} at most. Without any no page may.`,
  })
  parentOrigins?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: "A language tag (BCP 47) such as `en` or `de-CH`. Without it the browser's.",
  })
  locale?: string | null;

  @Field(() => PortalTheme, { nullable: true, description: 'How it looks. Default: AUTO.' })
  theme?: PortalTheme | null;

  @Field(() => String, {
    nullable: true,
    description: 'Where the portal leads back to when it is over: an https:// url, or http:// on this machine.',
  })
  returnUrl?: string | null;
}

@ObjectType({ description: 'A new portal session.' })
export class CreatePortalSessionPayload {
  @Field(() => String, {
    description: `Open it in a browser or a frame, once, within ${PORTAL_CODE_SECONDS} seconds. It is never shown again.`,
  })
  url!: string;

  @Field(() => PortalSession, { description: 'What is kept of it.' })
  session!: PortalSession;
}

@InputType({ description: 'A portal session to revoke.' })
export class RevokePortalSessionInput {
  @Field(() => ID, { description: 'The session.' })
  id!: string;
}

@ObjectType({ description: 'The revoked portal session.' })
export class RevokePortalSessionPayload {
  @Field(() => PortalSession, { description: 'As it is now.' })
  session!: PortalSession;
}

@InputType({ description: 'Which portal sessions.' })
export class PortalSessionFilter {
  @Field(() => Boolean, {
    nullable: true,
    description: 'Only sessions that are neither revoked nor expired, or only those that are.',
  })
  active?: boolean | null;
}

export const PortalSessionConnection = connectionOf(PortalSession, 'PortalSession', 'portal sessions');
