import { expect, test } from 'vitest';
import type { DatabaseProxy } from '../support/database-proxy.js';
import { eventually } from '../support/eventually.js';
import { type Behaviour, good } from './support/endpoints.js';
import { CrashableGround } from './support/ground.js';
import type { Disturbance } from './support/oracle.js';
import type { Program } from './support/program.js';
import { Site } from './support/site.js';
import { isLong, report, size } from './support/sizes.js';

const MINUTE = 60_000;
const TEST_MS = isLong ? 20 * MINUTE : 2 * MINUTE;
const RECOVERY_MS = 75_000;
const FAULTS = size('FAULTS_ROUNDS', 4, 40);
const EVENTS = size('FAULTS_ROUND_EVENTS', 300, 8_000);

const failingIn = (share: number): Behaviour => {
  return () => ({ status: Math.random() < share ? 500 : 200, afterMs: Math.random() * 20 });
};

/** Breaks one thing after the other; each fault ends when the service has all that it needs again. */
class Breaker {
  readonly disturbances: Disturbance[] = [];

  constructor(
    private readonly site: Site,
    private readonly ground: CrashableGround,
    private readonly proxy: DatabaseProxy,
    /** The first one is connected by way of the proxy. */
    private readonly daemons: [Program, Program],
  ) {}

  async break(number: number): Promise<void> {
    const faults = [this.#kill, this.#crash, this.#restart, this.#cut, this.#lose];
    const from = Date.now();
    await faults[number % faults.length]!.call(this);
    // What was in hand then may be sent again as late as the sweeps find it.
    this.disturbances.push({ from, to: Date.now() + RECOVERY_MS });
  }

  async #replace(victim: 0 | 1, signal: NodeJS.Signals): Promise<void> {
    const daemon = this.daemons[victim];
    const wasRunning = !daemon.hasEnded; // else the site reports in the end how it died
    daemon.signal(signal);
    const { code } = await daemon.ended;
    if (signal === 'SIGTERM' && wasRunning) {
      expect(code, daemon.output).toBe(0);
    }
    this.daemons[victim] = await this.site.startDaemon(victim === 0 ? this.proxy.url : undefined);
  }

  #kill = () => this.#replace(Math.random() < 0.5 ? 0 : 1, 'SIGKILL');
  #restart = () => this.#replace(Math.random() < 0.5 ? 0 : 1, 'SIGTERM');

  #crash = async () => {
    await this.ground.crash();
    await this.ground.restart();
  };

  #cut = async () => {
    this.proxy.takeAway();
    await eventually(() => this.daemons[0].complaintSince(Date.now() - 1_000), 30_000);
    this.proxy.bringBack();
  };

  #lose = async () => {
    this.proxy.loseReply('record_successes');
  };
}

/** Long enough that nothing loaded before can still be about to start: the oracle then knows what must count. */
const DISABLED_FOR_SECONDS = 1.5;

/** A tenant who enables whatever was disabled, again and again. */
class Tenant {
  enabled = 0;
  #atWork = true;
  readonly #done: Promise<void>;

  constructor(
    private readonly site: Site,
    private readonly webhooks: readonly number[],
  ) {
    this.#done = this.#work();
  }

  async leave(): Promise<void> {
    this.#atWork = false;
    await this.#done;
  }

  async #work(): Promise<void> {
    while (this.#atWork) {
      const disabled = await this.site.disabledFor(DISABLED_FOR_SECONDS).catch((): number[] => []);
      for (const id of this.webhooks.filter((each) => disabled.includes(each))) {
        await eventually(async () => (await this.site.switch(id, true)) === '200', RECOVERY_MS);
        this.enabled += 1;
      }
      await eventually(
        async () => !this.#atWork || (await this.site.disabledFor(DISABLED_FOR_SECONDS)).length > 0,
        RECOVERY_MS,
      );
    }
  }
}

test.runIf(isLong)(`receivers that fail while everything breaks: ${FAULTS} faults`, { timeout: TEST_MS }, async () => {
  const ground = await CrashableGround.open();
  await using site = await Site.open(ground, { RETRY_BASE_SECONDS: '0.1', MAX_RETRIES: '3' });
  const webhooks = {
    steady: await site.addWebhook('steady', good),
    moody: await site.addWebhook('moody', failingIn(0.4)),
    failing: await site.addWebhook('failing', failingIn(0.95)),
  };
  const proxy = await site.openProxy();
  const daemons = await Promise.all([site.startDaemon(proxy.url), site.startDaemon()]);
  const breaker = new Breaker(site, ground, proxy, daemons);
  const tenant = new Tenant(site, Object.values(webhooks));
  const load = site.load({ name: 'all', events: EVENTS, ratePerSecond: isLong ? 40 : 60 });
  await load.along(FAULTS, (fault) => breaker.break(fault), TEST_MS);
  // In the end the receivers recover, and the tenant enables what is still disabled: nothing may be left over.
  site.endpoints.behave('failing', good);
  site.endpoints.behave('moody', good);
  await eventually(async () => {
    await site.settled(RECOVERY_MS);
    return (await site.disabledFor(0)).length === 0;
  }, RECOVERY_MS).catch(() => {}); // what is wrong then, the findings say
  await tenant.leave();

  const findings = await site.judge(breaker.disturbances, RECOVERY_MS);
  report('everything', { faults: FAULTS, enabled: tenant.enabled, statuses: load.statuses, ...findings });
  expect(findings.problems).toEqual([]);
  expect(findings).toMatchObject({ lost: 0, accepted: 3 * EVENTS });
  expect(Object.keys(load.statuses).filter((status) => !['200', '503'].includes(status))).toEqual([]);
  expect(tenant.enabled).toBeGreaterThan(0);
  // Most changes must have been such that only one result was possible, or the oracle would prove little.
  expect(findings.health.checkedExactly).toBeGreaterThan(findings.health.checkedWithinTies);
});
