import { RefusedError } from '../../connection/ask.js';
import type { Numbered } from '../lines/import-file.js';
import type { TenantLine, WebhookLine } from '../lines/line.js';
import type { ImportApi } from './api.js';

/** The lines of one tenant. */
export interface Group {
  externalId: string;
  /** Null when no line names it. */
  name: string | null;
  lines: readonly Numbered<WebhookLine>[];
  /** Lines that say nothing but the tenant. */
  alone: readonly Numbered<TenantLine>[];
}

export interface KnownTenant {
  id: string;
  name: string;
  webhookCount: number;
  limits: { endpointsMax: number | null };
}

/** Root fields of one document that find tenants: a service allows 15 repeated fields. */
const LOOKUPS_AT_ONCE = 10;

const KNOWN = 'id name webhookCount limits { endpointsMax }';
const CREATE = `mutation ($input: CreateTenantInput!) { createTenant(input: $input) { tenant { ${KNOWN} } } }`;
const RENAME = 'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { tenant { id name } } }';

/**
 * The lines by their tenants. Former systems allow one name for several tenants, and this service does not: such a
 * tenant gets its external id behind its name.
 */
export function groupsOf(
  webhooks: readonly Numbered<WebhookLine>[],
  tenants: readonly Numbered<TenantLine>[],
): Group[] {
  const [lines, alone] = [webhooks, tenants].map((some) => Map.groupBy(some, externalIdOf)) as [
    Map<string, Numbered<WebhookLine>[]>,
    Map<string, Numbered<TenantLine>[]>,
  ];
  const groups = [...new Set([...lines.keys(), ...alone.keys()])].map((externalId) => {
    const own = { lines: lines.get(externalId) ?? [], alone: alone.get(externalId) ?? [] };
    const named = [...own.lines, ...own.alone].find(({ line }) => line.tenant.name != null);
    return { externalId, name: named?.line.tenant.name?.trim() || null, ...own };
  });
  const shared = Map.groupBy(groups, ({ name, externalId }) => name ?? externalId);
  return groups.map((group) =>
    group.name !== null && shared.get(group.name)!.length > 1 ? { ...group, name: longName(group) } : group,
  );
}

const externalIdOf = ({ line }: Numbered<WebhookLine | TenantLine>): string => line.tenant.externalId;

const longName = ({ name, externalId }: Pick<Group, 'name' | 'externalId'>) => `${name} (${externalId})`;

/** Finds the tenants that are there, by their external ids. */
export async function findTenants(api: ImportApi, externalIds: readonly string[]): Promise<Map<string, KnownTenant>> {
  const known = new Map<string, KnownTenant>();
  for (let at = 0; at < externalIds.length; at += LOOKUPS_AT_ONCE) {
    const some = externalIds.slice(at, at + LOOKUPS_AT_ONCE);
    const names = some.map((_, index) => `e${index}`);
    const query = `query (${names.map((name) => `$${name}: String!`).join(', ')}) {
      ${names.map((name) => `${name}: tenant(externalId: $${name}) { ${KNOWN} }`).join('\n      ')}
    }`;
    const variables = Object.fromEntries(some.map((externalId, index) => [`e${index}`, externalId]));
    const answer = await api.ask<Record<string, KnownTenant | null>>(query, variables);
    some.forEach((externalId, index) => {
      const tenant = answer[`e${index}`];
      if (tenant) {
        known.set(externalId, tenant);
      }
    });
  }
  return known;
}

/** The names of new tenants that other ones have already. */
export async function takenNames(api: ImportApi, groups: readonly Group[]): Promise<Set<string>> {
  const taken = new Set<string>();
  for (let at = 0; at < groups.length; at += LOOKUPS_AT_ONCE) {
    const names = groups.slice(at, at + LOOKUPS_AT_ONCE).map(newName);
    const query = `query (${names.map((_, index) => `$n${index}: String!`).join(', ')}) {
      ${names.map((_, index) => `n${index}: tenants(first: 1, filter: {name: $n${index}}) { edges { node { id } } }`).join('\n      ')}
    }`;
    const variables = Object.fromEntries(names.map((name, index) => [`n${index}`, name]));
    const answer = await api.ask<Record<string, { edges: readonly unknown[] }>>(query, variables);
    for (const [index, name] of names.entries()) {
      if (answer[`n${index}`]!.edges.length > 0) {
        taken.add(name);
      }
    }
  }
  return taken;
}

/** The name that a new tenant gets. */
export const newName = ({ name, externalId }: Pick<Group, 'name' | 'externalId'>): string => name ?? externalId;

/** A sentence about a name that another tenant has, with what to do. */
export const nameTaken = (group: Pick<Group, 'name' | 'externalId'>): string =>
  `Another tenant is called ${newName(group)}: give it the external id ${group.externalId} (updateTenant), ` +
  'or write another name in the file.';

/**
 * @returns the new tenant, or the one that has got the external id in the meantime
 * @throws RefusedError, also when another tenant has the name
 */
export async function makeTenant(api: ImportApi, group: Group): Promise<KnownTenant & { isNew: boolean }> {
  const { externalId } = group;
  const input = { name: newName(group), externalId };
  try {
    const { createTenant } = await api.ask<{ createTenant: { tenant: KnownTenant } }>(CREATE, { input });
    return { ...createTenant.tenant, isNew: true };
  } catch (error) {
    const reasons = error instanceof RefusedError ? error.reasons : [];
    if (reasons.includes('external_id_taken') || reasons.includes('name_taken')) {
      // By another run, or by this one before its answer was lost.
      const made = (await findTenants(api, [externalId])).get(externalId);
      if (made !== undefined) {
        return { ...made, isNew: false };
      }
    }
    if (reasons.includes('name_taken')) {
      throw new RefusedError(nameTaken(group), 'CONFLICT', undefined, reasons);
    }
    throw error;
  }
}

/** The new name, where the file has another one. */
export const newNameOf = (there: KnownTenant, group: Group): string | null =>
  group.name === null || [group.name, longName(group)].includes(there.name) ? null : group.name;

export async function renameTenant(api: ImportApi, { id }: KnownTenant, name: string): Promise<void> {
  await api.ask(RENAME, { input: { id, name } });
}
