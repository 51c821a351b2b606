/** A type of events that webhooks of the installation get, and no tenant's. */
interface InstallationEventType {
  name: string;
  description: string;
  properties: Readonly<Record<string, object>>;
  sample: Readonly<Record<string, unknown>>;
}

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const objectOrNull = { type: ['object', 'null'] };

/** The fields that name a tenant. Null: the event is about the installation itself; or the tenant has no such id. */
export const TENANT_PROPERTIES = { tenant_id: textOrNull, tenant_external_id: textOrNull };
export const TENANT_SAMPLE = { tenant_id: '12', tenant_external_id: null };

/** They stand in no table: a tenant may have a type of its own with one of these names, which is another one. */
export const INSTALLATION_EVENT_TYPES: readonly InstallationEventType[] = [
  {
    name: 'audit.entry',
    description: 'For each new entry in the audit log of the installation or of a tenant.',
    properties: {
      entry_id: text,
      actor: text,
      api_key_id: textOrNull,
      action: text,
      target_type: text,
      target_id: text,
      before: objectOrNull,
      after: objectOrNull,
      request_id: textOrNull,
      created_at: text,
      ...TENANT_PROPERTIES,
    },
    sample: {
      entry_id: '4711',
      actor: 'TENANT_KEY',
      api_key_id: '7',
      action: 'WEBHOOK_UPDATED',
      target_type: 'WEBHOOK',
      target_id: '42',
      before: { active: true },
      after: { active: false },
      request_id: 'b1f0c6ae-5f0e-4a8e-9d0b-2f6d5f1f3a11',
      created_at: '2026-01-31T09:30:00+00:00',
      ...TENANT_SAMPLE,
    },
  },
  {
    name: 'doctor.finding',
    description: 'When a check of the doctor has another result than when it was last sent.',
    properties: { check: text, status: text, text, found_at: text },
    sample: {
      check: 'housekeeping',
      status: 'warn',
      text: 'Housekeeping has not finished for 3 h.',
      found_at: '2026-01-31T09:30:00+00:00',
    },
  },
  {
    name: 'tenant.created',
    description: 'When a tenant was created.',
    properties: { name: text, at: text, ...TENANT_PROPERTIES },
    sample: { name: 'Acme', at: '2026-01-31T09:30:00+00:00', ...TENANT_SAMPLE },
  },
  {
    name: 'tenant.deleted',
    description: 'When a tenant was deleted, with its webhooks and keys.',
    properties: { name: text, at: text, ...TENANT_PROPERTIES },
    sample: { name: 'Acme', at: '2026-01-31T09:30:00+00:00', ...TENANT_SAMPLE },
  },
];

/** JSON Schema of an object that has all of these properties, and no others. */
export const schemaOfProperties = (properties: Readonly<Record<string, object>>): string =>
  JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  });
