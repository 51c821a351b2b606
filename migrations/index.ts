import { TenantsAndWebhooks } from './0001-tenants-and-webhooks.js';
import { EventsAndDeliveries } from './0002-events-and-deliveries.js';
import { Functions } from './0003-functions.js';
import { Access } from './0004-access.js';
import { FirstRows } from './0005-first-rows.js';
import { PortalSessions } from './0006-portal-sessions.js';
import { EventsForOneWebhook } from './0007-events-for-one-webhook.js';
import { Installation } from './0008-installation.js';

/**
 * Every migration, in order. One file a change; a released one is never edited. A change of a function edits its file
 * in `functions/`, and adds a migration that installs it again (docs/decisions/0005).
 */
export const migrations = [
  { name: '0001-tenants-and-webhooks', class: TenantsAndWebhooks },
  { name: '0002-events-and-deliveries', class: EventsAndDeliveries },
  { name: '0003-functions', class: Functions },
  { name: '0004-access', class: Access },
  { name: '0005-first-rows', class: FirstRows },
  { name: '0006-portal-sessions', class: PortalSessions },
  { name: '0007-events-for-one-webhook', class: EventsForOneWebhook },
  { name: '0008-installation', class: Installation },
];
