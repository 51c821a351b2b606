import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** What a tenant's key may be allowed to do. */
export const SCOPES = [
  'webhooks:read',
  'webhooks:write',
  'events:read',
  'events:emit',
  'deliveries:read',
  'deliveries:write',
  'keys:admin',
] as const;

/**
 * Held by platform keys alone. They are not in SCOPES, so that "every scope of a tenant" can never include one.
 *
 * - `platform:read` reads what there is, of the installation and of all tenants
 * - `platform:support` does besides for any tenant what a key of the tenant with all scopes can
 * - `platform:admin` does everything
 */
export const PLATFORM_SCOPES = ['platform:read', 'platform:support', 'platform:admin'] as const;
export const PLATFORM_ADMIN = 'platform:admin';

/**
 * Parts of a scope, for keys that may do less. Whoever holds the scope holds each of its parts, and whoever holds all
 * of its parts holds the scope.
 */
const SCOPE_PARTS = {
  'webhooks:write': ['webhooks:edit', 'webhooks:secrets', 'webhooks:test'],
  'deliveries:write': ['deliveries:resend', 'deliveries:bulk'],
} as const;

type PartScope = (typeof SCOPE_PARTS)[keyof typeof SCOPE_PARTS][number];
export type TenantScope = (typeof SCOPES)[number] | PartScope;
export type PlatformScope = (typeof PLATFORM_SCOPES)[number];
export type Scope = TenantScope | PlatformScope;

const partsOf = new Map<Scope, readonly PartScope[]>(
  Object.entries(SCOPE_PARTS) as [Scope, readonly PartScope[]][],
);
const wholeOf = new Map<Scope, Scope>(
  [...partsOf].flatMap(([whole, parts]) => parts.map((part) => [part, whole] as const)),
);

/** All that a tenant's key can be given. */
export const GRANTABLE_SCOPES: readonly TenantScope[] = [...SCOPES, ...Object.values(SCOPE_PARTS).flat()];

/** What a platform scope has besides itself. To read keys and the audit log is no scope: `platform:read` is enough. */
const withinPlatform: Record<PlatformScope, ReadonlySet<Scope>> = {
  'platform:read': new Set<Scope>(['webhooks:read', 'events:read', 'deliveries:read']),
  'platform:support': new Set<Scope>(['platform:read', ...GRANTABLE_SCOPES]),
  'platform:admin': new Set<Scope>([...PLATFORM_SCOPES, ...GRANTABLE_SCOPES]),
};

export const isPlatformScope = (scope: Scope): scope is PlatformScope => scope in withinPlatform;

/**
 * Whether one who holds these scopes has this one: itself, the scope that it is a part of, all of its parts, or a
 * platform scope that has it.
 */
export function holdsScope(held: ReadonlySet<Scope>, wanted: Scope): boolean {
  const whole = wholeOf.get(wanted);
  return (
    held.has(wanted) ||
    (whole !== undefined && held.has(whole)) ||
    (partsOf.get(wanted)?.every((part) => held.has(part)) ?? false) ||
    PLATFORM_SCOPES.some((scope) => held.has(scope) && withinPlatform[scope].has(wanted))
  );
}

/** The scopes that have one of these, for a sentence about a key that has none: of a tenant's key, a tenant's. */
export function scopesWith(anyOf: readonly Scope[], isTenantKey: boolean): Scope[] {
  const ofTenant = anyOf.filter((scope) => !isPlatformScope(scope));
  return (isTenantKey && ofTenant.length > 0 ? ofTenant : anyOf).flatMap((scope) => {
    const whole = wholeOf.get(scope);
    return whole === undefined ? [scope] : [whole, scope];
  });
}

/** Bytes of chance in a key. */
export const KEY_BYTES = 32;
const SECRET_CHARS = 43; // 62^43 > 2^256
const CHECKSUM_CHARS = 6; // 62^6 > 2^32
const API_KEY = /^(hw_([1-9][0-9]{0,15})_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * An API key: `hw_<id>_<secret><checksum>`. The id finds its row, the prefix lets scanners find leaked keys, and the
 * checksum (CRC-32 of all that stands before it) tells a mistyped key from a wrong one without asking the database.
 *
 * @throws RangeError for an id that is not a positive safe integer, or unless `random` has 32 bytes
 */
export function formatApiKey(id: number, random: Buffer): string {
  if (!Number.isSafeInteger(id) || id < 1) {
    throw new RangeError(`The id of a key is positive, not ${id}`);
  }
  if (random.length !== KEY_BYTES) {
    throw new RangeError(`A key is made from ${KEY_BYTES} random bytes, not ${random.length}`);
  }
  const secret = base62(BigInt(`0x${random.toString('hex')}`), SECRET_CHARS);
  const signed = `hw_${id}_${secret}`;
  return signed + checksum(signed);
}

/**
 * The id in a well-formed key, or null. That says nothing about whether the key exists: compare
 * `hashApiKey` with the stored hash, in constant time.
 */
export function parseApiKey(text: string): { id: number } | null {
  const [, signed, digits, check] = API_KEY.exec(text) ?? [];
  if (signed === undefined || check !== checksum(signed)) {
    return null;
  }
  const id = Number(digits);
  return Number.isSafeInteger(id) ? { id } : null;
}

/**
 * SHA-256 of the whole key: all that is stored of it. A fast hash is right here, because a key has
 * 256 random bits and cannot be guessed, unlike a password.
 */
export function hashApiKey(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** In numbers: of a BigInt each division costs as much as all of this, for every request. */
function checksum(text: string): string {
  let digits = '';
  for (let rest = crc32(text); digits.length < CHECKSUM_CHARS; rest = Math.floor(rest / BASE62.length)) {
    digits = BASE62.charAt(rest % BASE62.length) + digits;
  }
  return digits;
}

function base62(value: bigint, chars: number): string {
  let text = '';
  for (let rest = value; text.length < chars; rest /= 62n) {
    text = BASE62.charAt(Number(rest % 62n)) + text;
  }
  return text;
}
