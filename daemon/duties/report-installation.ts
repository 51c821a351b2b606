import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { ASKING } from '../../src/domain/challenges/challenge.js';
import { CHANGES_SKILL } from '../../src/domain/content/changes.js';
import { ERASING } from '../../src/domain/events/erasing.js';
import type { Fields } from '../../src/domain/fields/field.js';
import { flat } from '../../src/domain/fields/field-table.js';
import { OAUTH2_SKILL } from '../../src/domain/fields/oauth2.js';
import { tenantFields } from '../../src/domain/fields/tenant-fields.js';
import { webhookFields } from '../../src/domain/fields/webhook-fields.js';
import { MOVING } from '../../src/domain/ids/cell.js';
import { OTHER_SECRETS } from '../../src/domain/signing/secret.js';
import { examineRunningDeliveries, examineRunningServer } from '../../src/operations/doctor/examine.js';
import { noteFindings } from '../../src/operations/doctor/note-findings.js';
import { forgetDaemon, reportDaemon } from '../../src/operations/installation/daemons.js';
import { renewReport } from '../../src/operations/installation/installation-report.js';
import { type Heard, noteFailover } from '../../src/operations/installation/note-failover.js';
import { type JobAside, readJobsAside } from '../../src/operations/jobs/read-jobs-aside.js';
import type { Database } from '../../src/platform/database/database.js';
import { Primary } from '../../src/platform/database/driver/primary.js';
import { version } from '../../src/platform/node/version.js';
import type { Config } from '../../src/platform/settings/config.js';
import type { Gate } from '../gate/gate.js';
import type { ControlConnection } from '../liveness/control-connection.js';
import type { Duty } from './duty.js';

const REPORT_AGE_SECONDS = 14;

const fieldsWithSince = [webhookFields, tenantFields].flatMap((fields: Fields) =>
  flat(fields).flatMap(([name, { since }]) => (since === undefined ? [] : [name])),
);

/**
 * Reports this daemon to the others and to the console, and the state of the installation to the console. Only the
 * owner of the tables can read that state, and the API is not the owner (docs/decisions/0009).
 */
export function reportInstallation(
  { config, db }: { config: Config; db: Database },
  gate: Pick<Gate, 'states' | 'daemons'>,
  control: Pick<ControlConnection, 'reachable'>,
): Pick<Duty, 'begin' | 'work' | 'end'> {
  const daemon = {
    id: randomUUID(),
    host: hostname(),
    pid: process.pid,
    version,
    slots: config.delivery.concurrency,
    startedAt: new Date(),
    knows: [
      ...fieldsWithSince,
      OTHER_SECRETS.name,
      OAUTH2_SKILL.name,
      ASKING.name,
      ERASING.name,
      CHANGES_SKILL.name,
      MOVING.name,
    ],
    signatureForms: digestsOf(config.delivery),
  };
  let heard: Heard | undefined;
  const work = async () => {
    const inFlight = gate.states().reduce((sum, state) => sum + state.inFlight, 0);
    gate.daemons = await reportDaemon(db.pool, { ...daemon, inFlight });
    heard = await noteFailover(db.pool, Primary.of(db.url).timeline, heard);
    await renewReport<Report>(db.pool, REPORT_AGE_SECONDS, (before) => makeReport(config, db, before));
  };
  return {
    work,
    // Others must know of it before it sends much, and the console must not say that no daemon reports. Without a
    // database, the first report comes later. It counts daemons by their control connections, this one's too.
    begin: (ended) => control.reachable(ended).then(work),
    // One that is killed leaves its report, and the console says that it is silent.
    end: () => forgetDaemon(db.pool, daemon.id),
  };
}

const digestsOf = ({ signatureForms }: Config['delivery']): Record<string, string> =>
  Object.fromEntries([...signatureForms].map(([name, { digest }]) => [name, digest]));

async function makeReport(config: Config, db: Database, before: Partial<Report>): Promise<Report> {
  const { pool } = db;
  const server = await examineRunningServer(db, config);
  const { checks: ofDeliveries, ...found } = await examineRunningDeliveries(
    pool,
    server.clock,
    config.embedded,
    before,
  );
  const checks = [...server.checks, ...ofDeliveries];
  await noteFindings(pool, checks);
  return { ...found, checks, jobsAside: await readJobsAside(pool) };
}

type Report = Awaited<ReturnType<typeof examineRunningDeliveries>> & { jobsAside: JobAside[] };
