import { setTimeout as delay } from 'node:timers/promises';
import { SecretVault } from '../../src/operations/secrets/secret-vault.js';
import type { Api } from '../client.js';
import type { BenchDatabase } from '../database.js';
import type { Service } from '../installation.js';
import type { Rig } from '../rig.js';
import type { ServiceProcess } from '../service-process.js';
import type { Size } from './plan.js';
import type { Subject } from './questions.js';
import { seedLarge, vacuum } from './seed.js';
import { waitAgain } from './seed-deliveries.js';
import { countingDatabase, OWN } from './statements.js';

const CATCH_UP_TIMEOUT_MS = 900_000;
const LOOK_EVERY_MS = 50;

/** One of the two installations: its database, and the processes that run over it at the time. */
export class Side {
  #service: Service | undefined;
  #daemon: ServiceProcess | undefined;

  private constructor(
    readonly name: 'large' | 'small',
    readonly rig: Rig,
    readonly database: BenchDatabase,
    /** Null: it was there. */
    readonly seedSeconds: number | null,
  ) {}

  /** @param url of a database that stays; undefined: a built-in one */
  static async open(name: 'large' | 'small', rig: Rig, size: Size, url: string | undefined): Promise<Side> {
    const { installation } = rig;
    if (url === undefined) {
      await installation.stopAllInOne(await installation.start());
    } else {
      await installation.takeDatabase(url);
    }
    const database = await countingDatabase(installation);
    const { rows } = await database.pool.query(`select ${OWN} from hookwright.webhooks limit 1`);
    if (rows.length === 0) {
      const vault = new SecretVault(database, keysIn(installation.encryptionKeys));
      const { seconds } = await seedLarge(database.pool, vault, size);
      return new Side(name, rig, database, seconds);
    }
    const client = await database.pool.connect();
    await waitAgain(client)
      .then(() => vacuum(client))
      .finally(() => client.release());
    return new Side(name, rig, database, null);
  }

  get service(): Service {
    return this.#service!;
  }

  /** @returns milliseconds until it answers */
  async startApi(): Promise<number> {
    const startedAt = performance.now();
    this.#service = await this.rig.installation.startApi();
    return performance.now() - startedAt;
  }

  /** @returns milliseconds until it has reported that it works */
  async startDaemon(): Promise<number> {
    const startedAt = performance.now();
    const daemon = await this.rig.installation.startDaemon();
    this.#daemon = daemon;
    await daemon.untilReady(async () => {
      const text = `select ${OWN} from hookwright.daemons where pid = $1 and started_at > now() - interval '5 minutes'`;
      return (await this.database.pool.query(text, [daemon.pid])).rows.length > 0;
    });
    return performance.now() - startedAt;
  }

  async stopApi(): Promise<void> {
    await this.#stop(this.#service?.process);
    this.#service = undefined;
  }

  async stopDaemon(): Promise<void> {
    await this.#stop(this.#daemon);
    this.#daemon = undefined;
  }

  async #stop(process: ServiceProcess | undefined): Promise<void> {
    if (process !== undefined) {
      await this.rig.installation.stop(process);
    }
  }

  /** Waits until the daemon has rolled up the statistics of the time since the database was filled. */
  async untilCaughtUp(): Promise<void> {
    const deadline = performance.now() + CATCH_UP_TIMEOUT_MS;
    const text = `select ${OWN} minutes_until > now() - interval '3 minutes' as done from hookwright.stats_progress`;
    while (!(await this.database.pool.query<{ done: boolean }>(text)).rows[0]!.done) {
      if (performance.now() > deadline) {
        throw new Error(
          `The statistics of the ${this.name} installation are not rolled up after a quarter of an hour.`,
        );
      }
      await delay(LOOK_EVERY_MS * 20);
    }
  }

  /** The largest tenant with a key, and what its pages are asked about. The API runs. */
  async subject(): Promise<Subject> {
    const { rows } = await this.database.pool.query<Omit<Subject, 'platform' | 'tenant'>>(subjectSql);
    const found = rows[0]!;
    const { installation } = this.rig;
    const with_ = (apiKey: string): Api => ({ origin: this.service.origin, apiKey });
    return {
      ...found,
      platform: with_(await installation.makePlatformKey()),
      tenant: with_(await installation.makeKey(found.tenantId)),
    };
  }
}

const subjectSql = `
  with largest as (
    select ${OWN} tenant_id from hookwright.webhooks group by 1 order by count(*) desc limit 1),
  newest as (
    select d.* from largest l, lateral (
      select * from hookwright.deliveries d where d.tenant_id = l.tenant_id order by id desc limit 10000) d),
  busiest as (select webhook_id from newest group by 1 order by count(*) desc limit 1)
  select tenant_id::integer as "tenantId", newest.webhook_id::text as "webhookId", newest.event_id::text as "eventId",
         id::text as "deliveryId",
         (select min(o.webhook_id)::text from hookwright.webhook_options o join largest using (tenant_id)
          where o.release is not null) as "pinnedId",
         (select min(o.webhook_id)::text from hookwright.webhook_options o join largest using (tenant_id)
          where o.ordering_settle_seconds is not null) as "settlingId",
         called.webhook_id::text as "calledId", called.event_id::text as "targetedId"
  from newest join busiest using (webhook_id)
  cross join (select webhook_id, event_id from newest where path is not null order by id desc limit 1) called
  where attempt_count > 0 order by id desc limit 1`;

function keysIn(setting: string): { kid: string; key: Buffer }[] {
  return setting.split(',').map((text) => {
    const [, kid = '', key = ''] = /^([^:]*):(.*)$/.exec(text) ?? [];
    return { kid, key: Buffer.from(key, 'base64') };
  });
}
