import { EXTERNAL_ID_CHARS_MAX, EXTERNAL_ID_RULE } from '../ids/external-id.js';
import type { Fields } from './field.js';
import { limits } from './limit-fields.js';
import { webhookFields } from './webhook-fields.js';

type Delivery = (typeof webhookFields)['delivery']['fields'];
type Inherited = {
  [Name in keyof Delivery as Delivery[Name] extends { inherited: string } ? Name : never]: Delivery[Name];
};

const inherited = Object.fromEntries(
  Object.entries(webhookFields.delivery.fields).filter(([, field]) => 'inherited' in field),
) as unknown as Inherited;

const RETENTION_DAYS_MIN = 1;
/** RETENTION_DAYS may be as many. */
const RETENTION_DAYS_MAX = 3_650;

/** The fields of a tenant that people write, besides its name. */
export const tenantFields = {
  externalId: {
    kind: 'text',
    charsMax: EXTERNAL_ID_CHARS_MAX,
    identifies: true,
    optional: true,
    description:
      'The id of the tenant in another system, unique in this installation. Null when it has none. `ext:` and this id name the tenant in the header `Hookwright-Tenant`.',
    input: `The id of the tenant in another system, unique in this installation: ${EXTERNAL_ID_RULE}. Null removes it.`,
  },
  retentionDays: {
    kind: 'number',
    whole: true,
    min: RETENTION_DAYS_MIN,
    max: RETENTION_DAYS_MAX,
    refusedAs: 'retention_out_of_range',
    optional: true,
    since: '0.2.0',
    description:
      'The number of days that payloads of the tenant and answers to its deliveries are kept. Null: as for other tenants, `viewer.retention`.',
    input:
      'The number of days that payloads of the tenant and answers to its deliveries are kept: fewer than `RETENTION_DAYS`. Deliveries that are still open then are canceled. Null: as for other tenants.',
  },
  deliveryDefaults: {
    kind: 'group',
    type: 'DeliveryDefaults',
    option: 'DeliveryDefault',
    scope: 'platform:admin',
    description: 'How the endpoints of the tenant are called, as far as their webhooks set nothing else.',
    input:
      'How the endpoints of the tenant are called, as far as their webhooks set nothing else. Values that are left out stay as they are.',
    fields: inherited,
  },
  limits,
} as const satisfies Fields;
