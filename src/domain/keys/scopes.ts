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

const partsOf = new Map<Scope, readonly PartScope[]>(Object.entries(SCOPE_PARTS) as [Scope, readonly PartScope[]][]);
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
