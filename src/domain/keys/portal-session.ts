import type { PortalLook } from '../portal/portal-look.js';
import type { Scope, TenantScope } from './scopes.js';

/** The rights of a portal session and their scopes. Every session has VIEW. */
const scopes = {
  VIEW: ['webhooks:read', 'events:read', 'deliveries:read'],
  MANAGE_ENDPOINTS: ['webhooks:edit'],
  MANAGE_OPTIONS: ['webhooks:options'],
  SEND: ['webhooks:test', 'deliveries:resend'],
  SEE_SECRETS: ['webhooks:secrets'],
  BULK: ['deliveries:bulk'],
  MANAGE_KEYS: ['keys:admin'],
} satisfies Record<string, readonly TenantScope[]>;
export type PortalCapability = keyof typeof scopes;
export type PortalTheme = 'LIGHT' | 'DARK' | 'AUTO';

export interface PortalSettings {
  capabilities: readonly PortalCapability[];
  /** Origins of the pages that may show the portal in a frame. */
  parentOrigins: readonly string[];
  /** A language tag (BCP 47). */
  locale: string | null;
  theme: PortalTheme;
  /** Null, or missing: the portal's own. */
  look?: PortalLook | null;
  /** The release that endpoints made in the session are pinned to. Null, or missing: it fixes none. */
  release?: string | null;
  /** The portal's way back. */
  returnUrl: string | null;
  /** The screen that the link opens. Null, or missing: the first one. */
  path?: string | null;
  /** How long keys live at most that are made in the session. Null, or missing: they end with it. */
  keysExpireInSeconds: number | null;
  /** The session begins by an invitation, which can be opened for this many days. Null, or missing: by a link. */
  invitationDays?: number | null;
}

export interface StoredPortalSettings extends PortalSettings {
  /**
   * When keys end at the latest that are made in the session, and in sessions that it makes (ISO 8601). Version 0.1.0
   * wrote the end of the session's maker; null: never.
   */
  makerExpiresAt: string | null;
  /** With an invitation: how long the session lives from its opening. `begin_portal_session` reads it. */
  secondsOnceOpened?: number;
  /** The maker of the session: its kind and the number of its key. Missing: version 0.1.0 made the session. */
  madeBy?: { kind: string; keyId: number | null };
}

/** A session begins within this time after it was made, or not at all. */
export const PORTAL_CODE_SECONDS = 60;
export const PORTAL_SESSION_SECONDS_MAX = 3_600;
export const INVITATION_DAYS_MAX = 7;
/** How long the session of an invitation lives at most, from its opening. */
export const INVITED_SECONDS_MAX = 86_400;

const PUBLIC_ID_BYTES = 16;
const CODE_BYTES = 32;
const PUBLIC_ID = /^[A-Za-z0-9_-]{22}$/;

/** Chance for the id in a session's url, which is not secret and cannot be guessed, and for its code, which is. */
export function newPortalLink(random: (bytes: number) => Buffer): { publicId: string; code: string } {
  return {
    publicId: random(PUBLIC_ID_BYTES).toString('base64url'),
    code: random(CODE_BYTES).toString('base64url'),
  };
}

export const isPublicId = (text: string): boolean => PUBLIC_ID.test(text);

const all = Object.keys(scopes) as PortalCapability[];

/** Each once, in the order of the list, and always VIEW. */
export const wholeCapabilities = (wanted: readonly PortalCapability[]): PortalCapability[] =>
  all.filter((one) => one === 'VIEW' || wanted.includes(one));

/** SEE_SECRETS is about secrets that the session makes: without MANAGE_ENDPOINTS there are none. */
export function scopesOfPortal(capabilities: readonly PortalCapability[]): TenantScope[] {
  const isManager = capabilities.includes('MANAGE_ENDPOINTS');
  return wholeCapabilities(capabilities)
    .filter((one) => one !== 'SEE_SECRETS' || isManager)
    .flatMap((one) => scopes[one]);
}

/** The capability that has one of these scopes; null: none has. */
export function capabilityWith(anyOf: readonly Scope[]): PortalCapability | null {
  return all.find((one) => scopes[one].some((scope: Scope) => anyOf.includes(scope))) ?? null;
}
