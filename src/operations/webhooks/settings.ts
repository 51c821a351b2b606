import { isDeepStrictEqual } from 'node:util';
import { comparisonsIn, compileFilter, compilePath, compilingOf } from '../../domain/content/compile-filter.js';
import type { EventFilter } from '../../domain/content/filter.js';
import type { StoredShape } from '../../domain/content/shape/project.js';
import type { AuthInput } from '../../domain/fields/auth.js';
import { flat } from '../../domain/fields/field.js';
import type { HeaderChange, StoredHeaders } from '../../domain/fields/headers.js';
import { tenantFields } from '../../domain/fields/tenant-fields.js';
import { webhookFields } from '../../domain/fields/webhook-fields.js';
import { HIDDEN } from '../../domain/redact.js';
import type { Tenant, TenantSettings } from '../../entities/tenant.js';
import type { OwnSettings, StoredSettings, Webhook } from '../../entities/webhook.js';
import { WebhookOptions } from '../../entities/webhook-options.js';
import { nextOptionsVersion } from '../rows/allocate-id.js';
import type { UnitOfWork } from '../rows/unit-of-work.js';
import type { SecretVault } from '../secrets/secret-vault.js';
import { sealAuth } from './auth-settings.js';
import { changeContent } from './content-settings.js';
import {
  auditedHeaders,
  mergeHeaders,
  type SealedHeaderChange,
  sealHeaders,
  withoutSecrets,
} from './header-settings.js';

/** Settings of a webhook by their names, those of groups and of the options row among them. */
type Values = Readonly<Record<string, unknown>>;

const fields = flat(webhookFields);
const isInOptionsRow = (name: string) => fields.some(([one, { optionsRow }]) => one === name && optionsRow);
const secretNames = fields.filter(([, { secret }]) => secret).map(([name]) => name);
const headerNames = fields.filter(([, { kind }]) => kind === 'headers').map(([name]) => name);
const authNames = fields.filter(([, { kind }]) => kind === 'auth').map(([name]) => name);
const shapeNames = fields.filter(([, { kind }]) => kind === 'shape').map(([name]) => name);
const none = (names: readonly string[]): Values => Object.fromEntries(names.map((name) => [name, null]));

/** Settings as they are stored, with sealed secrets. Headers are still a change. */
export type SealedSettings = Partial<Omit<StoredSettings, 'headers'> & { headers: SealedHeaderChange | null }>;

/** Seals the secrets among settings. */
export async function sealSettings(
  vault: Pick<SecretVault, 'seal'>,
  tenantId: number,
  webhookId: number,
  settings: object,
): Promise<SealedSettings> {
  const values: Record<string, unknown> = { ...settings };
  for (const name of secretNames.filter((one) => typeof values[one] === 'string')) {
    values[name] = await vault.seal(tenantId, webhookId, values[name] as string, name);
  }
  const seal = (value: string, field: string) => vault.seal(tenantId, webhookId, value, field);
  for (const name of headerNames.filter((one) => values[one] != null)) {
    values[name] = await sealHeaders(values[name] as HeaderChange, seal);
  }
  for (const name of authNames.filter((one) => values[one] != null)) {
    values[name] = await sealAuth(values[name] as AuthInput, seal);
  }
  return values as SealedSettings;
}

const inheritedNames = flat(tenantFields).map(([name]) => name as keyof TenantSettings);

/** Whether webhooks of the tenant inherit anything from it. */
export const hasDefaults = (tenant: Tenant): boolean => inheritedNames.some((name) => tenant[name] != null);

/** The settings that the webhook's own row has. */
export const ownSettings = (settings: object): OwnSettings =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => !isInOptionsRow(name))) as never;

/** Stored settings. @param webhook was read with its options row */
export const readSettings = (webhook: Webhook, names: readonly string[]): Values =>
  Object.fromEntries(
    names.map((name) => [
      name,
      (isInOptionsRow(name) ? (webhook.options as Values | null)?.[name] : webhook[name as 'url']) ?? null,
    ]),
  );

/** Columns that are made from settings. */
const derivedFrom = ({ filter, keyPath }: Values): Values => ({
  ...(filter === null ? { filterPath: null, filterComparisons: null, filterCompiling: null } : {}),
  ...(filter ? derivedFromFilter(filter as EventFilter) : {}),
  ...(keyPath === undefined ? {} : { orderingPath: keyPath === null ? null : compilePath(keyPath as string) }),
});

const derivedFromFilter = (filter: EventFilter): Values => ({
  filterPath: compileFilter(filter),
  filterComparisons: comparisonsIn(filter),
  filterCompiling: compilingOf(filter),
});

/**
 * Writes those settings that are stored in the options row.
 *
 * @param webhook locked, and read with its options row
 * @throws ApiError as changeContent
 */
export async function writeOptionsRow({ em, sql }: UnitOfWork, webhook: Webhook, settings: object): Promise<void> {
  const values = Object.fromEntries(Object.entries(settings).filter(([name]) => isInOptionsRow(name)));
  for (const name of headerNames.filter((one) => values[one] != null)) {
    const stored = readSettings(webhook, [name])[name] as StoredHeaders | null;
    values[name] = mergeHeaders(stored, values[name] as SealedHeaderChange);
  }
  if (isDeepStrictEqual(readSettings(webhook, Object.keys(values)), values)) {
    return;
  }
  Object.assign(values, derivedFrom(values), await changeContent(sql, webhook, values));
  if (webhook.options) {
    em.assign(webhook.options, values as object);
  } else {
    webhook.options = em.create(WebhookOptions, {
      webhookId: webhook.id,
      tenantId: webhook.tenantId,
      ...values,
    } as never);
  }
  webhook.optionsVersion = await nextOptionsVersion(sql);
}

export const forgetSecrets = (unit: UnitOfWork, webhook: Webhook) => {
  const stored = readSettings(webhook, headerNames) as Record<string, StoredHeaders | null>;
  const removed = headerNames.map((name) => [name, withoutSecrets(stored[name]!)]);
  return writeOptionsRow(unit, webhook, { ...none([...secretNames, ...authNames]), ...Object.fromEntries(removed) });
};

/** @param webhook was read with its options row */
export function eraseOptionsRow({ options }: Webhook): void {
  const erased = none(fields.map(([name]) => name).filter(isInOptionsRow));
  Object.assign(options ?? {}, erased, derivedFrom(erased), { contentId: null });
}

/**
 * Settings for the audit log: of a secret only that it was there, of headers only those that differ, without values.
 *
 * @param other the settings on the other side of the change
 */
export const auditedSettings = (settings: object, other: Values = {}): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      if (value != null && headerNames.includes(name)) {
        return [name, auditedHeaders(value as StoredHeaders, other[name] as StoredHeaders | null)];
      }
      if (value != null && shapeNames.includes(name)) {
        return [name, (value as StoredShape).text];
      }
      const isSecret = secretNames.includes(name) || authNames.includes(name);
      return [name, value != null && isSecret ? HIDDEN : value];
    }),
  );
