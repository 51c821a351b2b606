import { expect, test } from 'vitest';
import { INSTALLATION_TENANT } from '../../src/domain/installation/installation-tenant.js';
import { eventually } from '../support/eventually.js';
import { broken, good } from './support/endpoints.js';
import { sharedGround } from './support/ground.js';
import { Site } from './support/site.js';
import { isLong, size } from './support/sizes.js';

const MINUTE = 60_000;
const RECOVERY_MS = 75_000;
const CHANGES_BETWEEN = 40;
const kills = size('FAULTS_OPERATOR_KILLS', 2, 20);

interface Told {
  entry: string;
  deliveries: number[];
  statuses: string[];
}

test(`a webhook of the installation is told of every change once, over ${kills} killed daemons`, {
  timeout: isLong ? 20 * MINUTE : 4 * MINUTE,
}, async () => {
  await using site = await Site.open(await sharedGround(), { MAX_RETRIES: '0' });
  const failing = await site.addWebhook('failing', broken);
  const changed = await site.addWebhook('changed', good);
  const operator = await site.addWebhook('operator', () => ({ status: 200, afterMs: 20 }), INSTALLATION_TENANT);
  let daemon = await site.startDaemon();
  const load = site.load({ name: 'operator', events: 40, ratePerSecond: 20 });
  for (let kill = 0; kill < kills; kill++) {
    for (let change = 0; change < CHANGES_BETWEEN; change++) {
      expect(await site.switch(changed, change % 2 === 1)).toBe('200');
    }
    await daemon.kill();
    daemon = await site.startDaemon();
  }
  await load.done;
  await eventually(async () => !(await site.webhook('failing')).active, RECOVERY_MS);
  await site.settled(RECOVERY_MS);

  const entries = await site.rows<Told>(`
    select l.id::text as entry, array_remove(array_agg(d.id), null) as deliveries, array_agg(d.status::text) as statuses
    from hookwright.audit_log l
    left join hookwright.events e on e.tenant_id = ${INSTALLATION_TENANT} and e.event_type = 'audit.entry'
      and e.body::json->>'entry_id' = l.id::text
    left join hookwright.deliveries d on d.event_id = e.id
    where l.created_at > (select created_at from hookwright.webhooks where id = ${operator})
      and not (l.target_type = 'WEBHOOK' and l.target_id = '${operator}')
    group by l.id`);
  expect(entries.length).toBeGreaterThanOrEqual(kills * CHANGES_BETWEEN);
  const arrived = new Set(
    site.endpoints.receipts.filter(({ webhook }) => webhook === 'operator').map(({ deliveryId }) => deliveryId),
  );
  const wrong = entries.filter(
    ({ deliveries, statuses }) =>
      deliveries.length !== 1 || statuses[0] !== 'SUCCEEDED' || !arrived.has(Number(deliveries[0])),
  );
  expect(wrong).toEqual([]);
  const disabled = await site.rows<{ status: string }>(`
    select d.status::text from hookwright.deliveries d
    join hookwright.events e on e.tenant_id = d.tenant_id and e.id = d.event_id
    where d.webhook_id = ${operator} and e.event_type = 'webhook.disabled'
      and e.body::json->>'webhook_id' = '${failing}'`);
  expect(disabled).toEqual([{ status: 'SUCCEEDED' }]);
  expect(site.deaths).toEqual([]);
});
