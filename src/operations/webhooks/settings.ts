import { isDeepStrictEqual } from 'node:util';
import { HIDDEN } from '../../domain/deliveries/redact.js';
import type { StoredAuthChange } from '../../domain/fields/auth.js';
import type { Field } from '../../domain/fields/field.js';
import { flat } from '../../domain/fields/field-table.js';
import type { StoredHeaderChange } from '../../domain/fields/headers.js';
import { webhookSecretNames, withEachSecret, withSecrets } from '../../domain/fields/secrets.js';
import { tenantFields } from '../../domain/fields/tenant-fields.js';
import type { TlsChange } from '../../domain/fields/tls.js';
import { webhookFields } from '../../domain/fields/webhook-fields.js';
import type { Tenant, TenantSettings } from '../../entities/tenant.js';
import type { OwnSettings, StoredSettings, Webhook } from '../../entities/webhook.js';
import { WebhookOptions } from '../../entities/webhook-options.js';
import { query, type SqlTarget } from '../../platform/database/database.js';
import { nextOptionsVersion } from '../rows/allocate-id.js';
import type { UnitOfWork } from '../rows/unit-of-work.js';
import type { SecretVault } from '../secrets/secret-vault.js';
import { storedKind } from './stored-kinds.js';

/** Settings of a webhook by their names, those of groups and of the options row among them. */
type Values = Readonly<Record<string, unknown>>;

const fields: ReadonlyMap<string, Field> = new Map(flat(webhookFields).map(([name, field]) => [name, field]));
const isInOptionsRow = (name: string) => fields.get(name)?.optionsRow === true;

/** Settings as they are stored, with sealed secrets. Headers, auth and TLS are still changes. */
export type SealedSettings = Partial<Omit<StoredSettings, keyof Changes> & Changes>;
interface Changes {
  headers: StoredHeaderChange | null;
  auth: StoredAuthChange | null;
  tls: TlsChange | null;
}

/** Applies to each setting what its kind says. Null is not a value of any kind. */
const mapped = (settings: object, made: (value: never, name: string, field: Field) => unknown): Values =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      const field = fields.get(name);
      return [name, value == null || field === undefined ? value : made(value as never, name, field)];
    }),
  );

/** Seals the secrets among settings. */
export async function sealSettings(
  vault: Pick<SecretVault, 'seal'>,
  tenantId: number,
  webhookId: number,
  settings: object,
): Promise<SealedSettings> {
  const open = mapped(settings, (value, _, field) => storedKind(field).toStore(value));
  return await withEachSecret(open, ({ value, sealedAs }) =>
    vault.seal(tenantId, webhookId, value as string, sealedAs),
  );
}

/** The settings that webhooks inherit of their tenant. */
export const inheritedNames: ReadonlySet<string> = new Set(
  flat(tenantFields).flatMap(([name, { inherited }]) => (inherited === undefined ? [] : [name])),
);

/** Whether webhooks of the tenant inherit anything from it. */
export const hasDefaults = (tenant: Tenant): boolean =>
  [...inheritedNames].some((name) => tenant[name as keyof TenantSettings] != null);

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

/** Changes of the options row with the columns that are made from them. One row is made of several settings. */
async function withDerived(changes: Values, webhook: Webhook, sql: SqlTarget): Promise<Values> {
  const derived = new Map(
    Object.entries(changes).map(([name, value]) => [storedKind(fields.get(name)!).derive, value as never]),
  );
  const row = { ...changes };
  for (const [derive, value] of derived) {
    Object.assign(row, await derive?.(value, changes, webhook, sql));
  }
  return row;
}

/**
 * Writes those settings that are stored in the options row.
 *
 * @param webhook locked, and read with its options row
 * @throws ApiError as changeContent
 */
export async function writeOptionsRow(unit: UnitOfWork, webhook: Webhook, settings: object): Promise<void> {
  const changes = Object.fromEntries(Object.entries(settings).filter(([name]) => isInOptionsRow(name)));
  const stored = readSettings(webhook, Object.keys(changes));
  await replaceOptions(
    unit,
    webhook,
    mapped(changes, (value, name, field) => storedKind(field).merged(stored[name] as never, value)),
  );
}

async function replaceOptions({ em, sql }: UnitOfWork, webhook: Webhook, values: Values): Promise<void> {
  if (isDeepStrictEqual(readSettings(webhook, Object.keys(values)), values)) {
    return;
  }
  const row = await withDerived(values, webhook, sql);
  if (webhook.options) {
    em.assign(webhook.options, row);
  } else {
    const { id: webhookId, tenantId } = webhook;
    webhook.options = em.create(WebhookOptions, { webhookId, tenantId, ...row } as never);
  }
  webhook.optionsVersion = await nextOptionsVersion(sql);
}

export const forgetSecrets = (unit: UnitOfWork, webhook: Webhook) =>
  replaceOptions(
    unit,
    webhook,
    withSecrets(readSettings(webhook, webhookSecretNames), () => null),
  );

/** @param webhookIds locked */
export async function eraseOptionsRows(
  { em, sql }: Pick<UnitOfWork, 'em' | 'sql'>,
  webhookIds: readonly number[],
): Promise<void> {
  const options = em.getMetadata(WebhookOptions).props.filter(({ nullable }) => nullable);
  const erased = options.flatMap(({ fieldNames }) => fieldNames.map((column) => `${column} = null`)).join(', ');
  const text = `update hookwright.webhook_options set ${erased} where webhook_id = any($1::bigint[])`;
  await query(sql, { name: 'erase_options', text }, [[...webhookIds]]);
}

/**
 * Settings for the audit log: of a secret only that it was there, of headers only those that differ, without values.
 *
 * @param other the settings on the other side of the change
 */
export const auditedSettings = (settings: object, other: Values = {}): Record<string, unknown> =>
  mapped(settings, (value, name, field) => {
    const { audited } = storedKind(field);
    return audited ? audited(value, other[name] as never) : webhookSecretNames.includes(name) ? HIDDEN : value;
  });
