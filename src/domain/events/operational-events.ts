import { INSTALLATION_TENANT } from '../installation/installation-tenant.js';

/** Events about a tenant's own webhooks, like any others, which only the service emits. */
export const OPERATIONAL_EVENT_TYPES = [
  'webhook.failing',
  'webhook.disabled',
  'webhook.recovered',
  'delivery.exhausted',
  'webhook.held_expiring',
  'webhook.key_blocked',
  'webhook.certificate_ending',
] as const;

export type OperationalEventType = (typeof OPERATIONAL_EVENT_TYPES)[number];

export function isOperational(eventType: string): boolean {
  return (OPERATIONAL_EVENT_TYPES as readonly string[]).includes(eventType);
}

/** The topic of notices about such an event; as `hookwright.write_notices` has it. */
export const topicOf = (eventType: string): string =>
  eventType === 'webhook.certificate_ending' ? 'CERTIFICATE' : (eventType.split('.')[1] ?? '').toUpperCase();

/** The types whose events no filter of the tenant's webhooks keeps away. Those of the installation may choose. */
export const unfilteredTypes = (tenantId: number): readonly string[] =>
  tenantId === INSTALLATION_TENANT ? [] : OPERATIONAL_EVENT_TYPES;
