import { INSTALLATION_TENANT } from '../../domain/installation/installation-tenant.js';
import { hasScope, PLATFORM_ADMIN, type Scope } from '../../domain/keys/scopes.js';
import { ApiError } from '../../errors.js';
import { type EventTypeCatalogue, InstallationTypes } from '../../operations/event-types/installation-types.js';

const known = new WeakMap<EventTypeCatalogue, InstallationTypes>();

/** The event types of the installation, by those of the registry. */
export function typesOfInstallation(registry: EventTypeCatalogue): InstallationTypes {
  const types = known.get(registry) ?? new InstallationTypes(registry);
  known.set(registry, types);
  return types;
}

/** The installation has webhooks and their deliveries as tenants have them, and nothing that takes other scopes. */
const OF_INSTALLATION = /^(?:webhooks|deliveries|platform):|^events:read$/;

/** @throws ApiError tenant_required for what only tenants have */
export function requireOfInstallation(anyOf: readonly Scope[]): void {
  if (!anyOf.some((scope) => OF_INSTALLATION.test(scope))) {
    throw installationHasNone();
  }
}

/** The installation emits nothing by itself, and has no keys, sessions and recipients of notices. */
export const installationHasNone = (): ApiError =>
  new ApiError(
    'tenant_required',
    'The installation has webhooks alone: name a tenant in the header Hookwright-Tenant: <id>.',
  );

/** The least id of the tenants that a platform key sees in lists over all: few see that of the installation. */
export const leastTenantSeen = (scopes: ReadonlySet<Scope>): number =>
  hasScope(scopes, PLATFORM_ADMIN) ? INSTALLATION_TENANT : INSTALLATION_TENANT + 1;
