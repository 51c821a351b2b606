import { setTimeout as delay } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Installation } from '../../src/operations/installation/read-installation.js';
import { Meter } from '../../src/platform/telemetry/meter.js';

/** The database is read no more often than this, however often several scrapers ask. */
const CACHED_MS = 10_000;
const DAY_SECONDS = 86_400;
/** A scrape does not wait for a database that does not answer. */
const WAIT_MAX_MS = 3_000;

const gauges: readonly [name: string, help: string, value: (installation: Installation) => number][] = [
  ['hookwright_due_deliveries', 'Deliveries whose time has come; 50000 means 50000 or more.', (one) => one.due],
  [
    'hookwright_due_oldest_age_seconds',
    'How long the oldest due delivery has been due, also if its receiver is slow or has asked for a pause; 0: none is due.',
    (one) => one.oldestDueSeconds,
  ],
  [
    'hookwright_late_oldest_age_seconds',
    'How long the oldest due delivery has been due that waits for no pause or probe of its endpoint, and not for the rate of its webhook; 0: there is none.',
    (one) => one.oldestLateSeconds,
  ],
  [
    'hookwright_scheduled_deliveries',
    'Retries whose time comes later; 50000 means 50000 or more.',
    (one) => one.scheduled,
  ],
  [
    'hookwright_held_deliveries',
    'Deliveries that are held for inactive webhooks; 50000 means 50000 or more.',
    (one) => one.held,
  ],
  [
    'hookwright_ordering_waiting',
    'Deliveries that wait for earlier ones of their ordering keys; 50000 means 50000 or more.',
    (one) => one.waiting,
  ],
  [
    'hookwright_ordering_oldest_seconds',
    'How long ago the oldest delivery was made that waits for an earlier one of its ordering key; 0: none waits.',
    (one) => one.oldestWaitingSeconds,
  ],
  [
    'hookwright_scheduled_events_late_seconds',
    'How late the oldest scheduled event is that was not emitted yet; 0: none is due.',
    (one) => one.scheduledLateSeconds,
  ],
  ['hookwright_webhooks_active', 'Webhooks that are active. Above 1000 an estimate.', (one) => one.activeWebhooks],
  [
    'hookwright_webhooks_disabled',
    'Webhooks that the service has disabled because of what their receivers answered. Above 1000 an estimate.',
    (one) => one.disabledWebhooks,
  ],
  [
    'hookwright_certificates_ending',
    'Webhooks with a certificate that ends within 14 days, or has ended; 1000 means 1000 or more.',
    (one) => one.certificatesEnding,
  ],
  [
    'hookwright_partitions_ahead_seconds',
    'The time from the next midnight (UTC) on for which there are partitions.',
    (one) => one.partitionDaysAhead * DAY_SECONDS,
  ],
  [
    'hookwright_housekeeping_timestamp_seconds',
    'When housekeeping was last started by any daemon; 0 when it never was.',
    (one) => (one.housekeeping.startedAt?.getTime() ?? 0) / 1_000,
  ],
  [
    'hookwright_housekeeping_success_timestamp_seconds',
    'When a run of housekeeping last succeeded; 0 when none ever did.',
    (one) => (one.housekeeping.succeededAt?.getTime() ?? 0) / 1_000,
  ],
];

/**
 * Registers gauges of the whole installation. Every daemon reports the same values, so take the maximum, not the sum.
 * They are NaN while the database does not answer, and without a report of a daemon.
 *
 * @param now milliseconds, never going back
 */
export function registerInstallation(
  registry: Registry,
  read: () => Promise<Installation | null>,
  now: () => number = () => performance.now(),
): void {
  let readAt = Number.NEGATIVE_INFINITY;
  let latest: Promise<Installation | null> = Promise.resolve(null);
  const installation = () => {
    if (now() - readAt >= CACHED_MS) {
      readAt = now();
      latest = Promise.race([read(), delay(WAIT_MAX_MS, null, { ref: false })]).catch(() => null);
    }
    return latest;
  };
  const meter = new Meter(registry);
  for (const [name, help, value] of gauges) {
    meter.gauge(name, `${help} Of the whole installation.`, async () => {
      const read = await installation();
      // The report of an older daemon may lack a figure.
      return (read && (value(read) as number | undefined)) ?? Number.NaN;
    });
  }
}
