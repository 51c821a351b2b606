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
 * Only platform keys have these. They are not in SCOPES, so that "every scope of a tenant" can never include one.
 *
 * - `platform:read` reads everything, of the installation and of all tenants
 * - `platform:support` acts besides for any tenant as a key of that tenant with all scopes
 * - `platform:admin` does everything
 */
export const PLATFORM_SCOPES = ['platform:read', 'platform:support', 'platform:admin'] as const;
export const PLATFORM_ADMIN = 'platform:admin';

/**
 * Erases payloads for good. A platform key with `platform:admin` gives it to keys of tenants, each by its name: it is
 * part of nothing else.
 */
export const ERASE = 'events:erase';

/** Parts of a scope, for keys that may do less. All parts together are the scope. */
const SCOPE_PARTS = {
  'webhooks:write': ['webhooks:edit', 'webhooks:options', 'webhooks:secrets', 'webhooks:test'],
  'deliveries:write': ['deliveries:resend', 'deliveries:bulk'],
} as const;

type PartScope = (typeof SCOPE_PARTS)[keyof typeof SCOPE_PARTS][number];
export type TenantScope = (typeof SCOPES)[number] | PartScope | typeof ERASE;
export type PlatformScope = (typeof PLATFORM_SCOPES)[number];
export type Scope = TenantScope | PlatformScope;

const partsOf = new Map<Scope, readonly PartScope[]>(Object.entries(SCOPE_PARTS) as [Scope, readonly PartScope[]][]);
const wholeOf = new Map<Scope, Scope>(
  [...partsOf].flatMap(([whole, parts]) => parts.map((part) => [part, whole] as const)),
);

const SCOPES_AND_PARTS: readonly TenantScope[] = [...SCOPES, ...Object.values(SCOPE_PARTS).flat()];

/** All that a tenant's key can be given. */
export const GRANTABLE_SCOPES: readonly TenantScope[] = [...SCOPES_AND_PARTS, ERASE];

/** The scopes within a platform scope. To read keys and the audit log is not a scope: `platform:read` is enough. */
const withinPlatform: Record<PlatformScope, ReadonlySet<Scope>> = {
  'platform:read': new Set<Scope>(['webhooks:read', 'events:read', 'deliveries:read']),
  'platform:support': new Set<Scope>(['platform:read', ...SCOPES_AND_PARTS]),
  'platform:admin': new Set<Scope>([...PLATFORM_SCOPES, ...GRANTABLE_SCOPES]),
};

export const isPlatformScope = (scope: Scope): scope is PlatformScope => scope in withinPlatform;

/** Whether a key has a scope: itself, the whole that it is a part of, all of its parts, or a platform scope with it. */
export function hasScope(given: ReadonlySet<Scope>, wanted: Scope): boolean {
  const whole = wholeOf.get(wanted);
  return (
    given.has(wanted) ||
    (whole !== undefined && given.has(whole)) ||
    (partsOf.get(wanted)?.every((part) => given.has(part)) ?? false) ||
    PLATFORM_SCOPES.some((scope) => given.has(scope) && withinPlatform[scope].has(wanted))
  );
}

/** The scopes that include one of these, for a sentence about a key without any. A tenant's key sees a tenant's. */
export function scopesWith(anyOf: readonly Scope[], isTenantKey: boolean): Scope[] {
  const ofTenant = anyOf.filter((scope) => !isPlatformScope(scope));
  const named = (isTenantKey && ofTenant.length > 0 ? ofTenant : anyOf).flatMap((scope) => {
    const whole = wholeOf.get(scope);
    return whole === undefined ? [scope] : [whole, scope];
  });
  return [...new Set(named)];
}
