import { Migration } from '@mikro-orm/migrations';
import { ManagedTables } from './0001-managed-tables.js';
import { DeliveryTables } from './0002-delivery-tables.js';
import { Functions } from './0003-functions.js';
import { Access } from './0004-access.js';
import { FirstRows } from './0005-first-rows.js';
import { CreationKeys } from './0006-creation-keys.js';
import { Sessions } from './0007-sessions.js';
import { FailureStreaks } from './0008-failure-streaks.js';
import { AskedAttempts } from './0009-asked-attempts.js';
import { WhereIs } from './0011-where-is.js';
import { WebhookOptions } from './0012-webhook-options.js';
import { DeliveryOptions } from './0013-delivery-options.js';
import { EndpointRates } from './0014-endpoint-rates.js';
import { Recovery } from './0015-recovery.js';
import { Notices } from './0016-notices.js';
import { Failovers } from './0018-failovers.js';
import { Flow } from './0019-flow.js';
import { Contents } from './0020-contents.js';
import { Waiting } from './0021-waiting.js';
import { Ordering } from './0022-ordering.js';
import { Shapes } from './0023-shapes.js';
import { ScheduledEvents } from './0024-scheduled-events.js';
import { BlockedKeys } from './0025-blocked-keys.js';
import { DeliveryMethod } from './0027-delivery-method.js';
import { Edition } from './0033-edition.js';
import { ExternalIds } from './0034-external-ids.js';
import { SignatureForms } from './0035-signature-forms.js';
import { InstallationWebhooks } from './0036-installation-webhooks.js';
import { SigningKeys } from './0037-signing-keys.js';
import { EndpointTls } from './0038-endpoint-tls.js';
import { EndpointTokens } from './0039-endpoint-tokens.js';
import { Unverified } from './0040-unverified.js';
import { Verifications } from './0041-verifications.js';
import { CertificateNotices } from './0042-certificate-notices.js';
import { QueueStats } from './0043-queue-stats.js';
import { FailureStats } from './0044-failure-stats.js';
import { Erasure } from './0045-erasure.js';
import { Retention } from './0046-retention.js';
import { TenantLimits } from './0047-tenant-limits.js';
import { TenantRates } from './0048-tenant-rates.js';
import { WordsOfEventTypes } from './0049-words-of-event-types.js';
import { Cell } from './0055-cell.js';

/** It installed functions before they had editions. */
class FunctionsAlone extends Migration {
  override up(): void {}
}

/** Every migration of tables, in order. A released one is never edited. */
export const migrations = [
  { name: '0001-managed-tables', class: ManagedTables },
  { name: '0002-delivery-tables', class: DeliveryTables },
  { name: '0003-functions', class: Functions },
  { name: '0004-access', class: Access },
  { name: '0005-first-rows', class: FirstRows },
  { name: '0006-creation-keys', class: CreationKeys },
  { name: '0007-sessions', class: Sessions },
  { name: '0008-failure-streaks', class: FailureStreaks },
  { name: '0009-asked-attempts', class: AskedAttempts },
  { name: '0010-invitations', class: FunctionsAlone },
  { name: '0011-where-is', class: WhereIs },
  { name: '0012-webhook-options', class: WebhookOptions },
  { name: '0013-delivery-options', class: DeliveryOptions },
  { name: '0014-endpoint-rates', class: EndpointRates },
  { name: '0015-recovery', class: Recovery },
  { name: '0016-notices', class: Notices },
  { name: '0018-failovers', class: Failovers },
  { name: '0019-flow', class: Flow },
  { name: '0020-contents', class: Contents },
  { name: '0021-waiting', class: Waiting },
  { name: '0022-ordering', class: Ordering },
  { name: '0023-shapes', class: Shapes },
  { name: '0024-scheduled-events', class: ScheduledEvents },
  { name: '0025-blocked-keys', class: BlockedKeys },
  { name: '0026-schema-impact', class: FunctionsAlone },
  { name: '0027-delivery-method', class: DeliveryMethod },
  { name: '0029-waiting-endpoints', class: FunctionsAlone },
  { name: '0032-superseded-heads', class: FunctionsAlone },
  { name: '0033-edition', class: Edition },
  { name: '0034-external-ids', class: ExternalIds },
  { name: '0035-signature-forms', class: SignatureForms },
  { name: '0036-installation-webhooks', class: InstallationWebhooks },
  { name: '0037-signing-keys', class: SigningKeys },
  { name: '0038-endpoint-tls', class: EndpointTls },
  { name: '0039-endpoint-tokens', class: EndpointTokens },
  { name: '0040-unverified', class: Unverified },
  { name: '0041-verifications', class: Verifications },
  { name: '0042-certificate-notices', class: CertificateNotices },
  { name: '0043-queue-stats', class: QueueStats },
  { name: '0044-failure-stats', class: FailureStats },
  { name: '0045-erasure', class: Erasure },
  { name: '0046-retention', class: Retention },
  { name: '0047-tenant-limits', class: TenantLimits },
  { name: '0048-tenant-rates', class: TenantRates },
  { name: '0049-words-of-event-types', class: WordsOfEventTypes },
  { name: '0055-cell', class: Cell },
];
