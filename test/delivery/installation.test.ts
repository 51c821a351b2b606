import { expect, test } from 'vitest';
import { version } from '../../src/platform/node/version.js';
import { BulkSite } from '../support/bulk-operations.js';
import { eventually } from '../support/eventually.js';
import { makeKey } from '../support/factories.js';
import { changeJobs, ofDelivery } from '../support/jobs.js';

test('a daemon tells the console of itself, and what the doctor finds, until it ends', async () => {
  await using site = await BulkSite.open();
  const platform = await makeKey(site.api.services, null, ['platform:admin']);
  await site.rows(`select hookwright_jobs.add_job('deliver', '{}', job_key => 'd:77')`);
  await changeJobs(site, `attempts = max_attempts, last_error = 'It broke.'`, ofDelivery(77));
  const daemon = site.startDaemon();
  const read = () =>
    eventually(async () => {
      const { data, errors } = await site.ask(
        `{ installation { examinedAt daemons { workerId host pid version slots inFlight startedAt lastSeenAt }
             findings { name level text } housekeeping { startedAt nextAt error }
             jobsPutAside { jobKey task deliveryId tries lastError triedAgainAt } } }`,
        {},
        platform,
      );
      expect(errors).toEqual([]);
      return data.installation.examinedAt === null ? undefined : data.installation;
    }, 30_000);
  const { daemons, findings, housekeeping, jobsPutAside } = await read();
  expect(daemons).toMatchObject([{ pid: process.pid, version, inFlight: 0 }]);
  expect(daemons[0].slots).toBeGreaterThan(0);
  const levels = Object.fromEntries(findings.map(({ name, level }: Record<string, string>) => [name, level]));
  expect(levels).toMatchObject({ backlog: 'OK', daemons: 'OK', partitions: 'WARN', 'postgres version': 'OK' });
  expect(levels).not.toHaveProperty('reports');
  expect(Date.parse(housekeeping.nextAt)).toBeGreaterThan(Date.now() - 3_600_000);
  expect(jobsPutAside).toEqual([
    {
      jobKey: 'd:77',
      task: 'deliver',
      deliveryId: 'dl_77',
      tries: 25,
      lastError: 'It broke.',
      triedAgainAt: null,
    },
  ]);
  await daemon.stop();
  expect((await read()).daemons).toEqual([]);
});
