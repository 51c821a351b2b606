import { afterEach, describe, expect, test, vi } from 'vitest';
import { Deliverer } from '../../daemon/delivery/deliver.js';
import { askEndpoints } from '../../daemon/duties/ask-endpoints.js';
import { Fence } from '../../daemon/liveness/fence.js';
import { DaemonMetrics } from '../../daemon/telemetry/metrics.js';
import { webhook as receiverOf } from '../../packages/receiver/src/adapters/fetch.js';
import type { DeliveryRequest } from '../../src/domain/deliveries/delivery-request.js';
import type { SendResult } from '../../src/domain/deliveries/outcome.js';
import { takeDueAsks } from '../../src/operations/challenges/take-due.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { createTenant } from '../../src/operations/tenants/create-tenant.js';
import { createWebhook } from '../../src/operations/webhooks/create-webhook.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import { rotateSecret } from '../../src/operations/webhooks/rotate-secret.js';
import { verifyWebhook } from '../../src/operations/webhooks/verify-webhook.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { type Answer, answer, type Received, type Receiver, startReceiver } from '../support/receiver.js';

/** Endpoints that must prove that they want deliveries. Daemons are at work. */

let stack: DeliveryStack;
const receivers: Receiver[] = [];
afterEach(async () => {
  await stack[Symbol.asyncDispose]();
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

const open = async (settings: Record<string, string> = {}) => {
  stack = await DeliveryStack.open({ ENDPOINT_CHALLENGE: 'required', ...settings });
};

async function receiver(respond?: Answer): Promise<Receiver> {
  const made = await startReceiver(respond);
  receivers.push(made);
  return made;
}

/** A daemon's sweep: asks the endpoints that are due, and waits for their answers. */
async function askDue(): Promise<void> {
  const sweep = askEndpoints(stack.services, stack.deliverer().challenges);
  await sweep.work();
  await sweep.end!();
}

const HOLD = { holdHours: 1 };

const create = (url: string, more: object = {}, tenantId = stack.tenantId) => {
  const { db, vault, random } = stack.services;
  const wanted = { tenantId, url, eventTypes: ['*'], challenge: HOLD, webhooksMax: 1_000, actor: commandLine, ...more };
  return createWebhook(db, vault, random, wanted);
};

interface State {
  active: boolean;
  reason: string | null;
  generation: number;
  status: string;
  method: string | null;
  detail: string | null;
  options: string | null;
  challenge: string | null;
  asks: number;
  /** In seconds. */
  nextIn: number | null;
}

const state = async (id: number): Promise<State> =>
  (
    await stack.rows<State>(`
    select w.active, w.disabled_reason as reason, w.generation, v.status, v.method, v.detail, v.asks, v.options_code as options,
           v.challenge_code as challenge,
           extract(epoch from v.next_at - now())::float8 as "nextIn"
    from hookwright.webhooks w join hookwright.verifications v on v.webhook_id = w.id where w.id = ${id}`)
  )[0]!;

const until = (id: number, isSo: (now: State) => boolean) =>
  eventually(async () => {
    const now = await state(id);
    return isSo(now) ? now : Promise.reject(new Error(JSON.stringify(now)));
  });
const verified = (id: number) => until(id, ({ status }) => status === 'VERIFIED');
/** An ask was made and answered. */
const asked = (id: number, asks: number) =>
  until(id, (now) => now.asks === asks && now.detail !== null && (now.nextIn === null || now.nextIn > 0));

/** The time of the next ask has come. */
const askNow = async (id: number) => {
  await stack.rows(`update hookwright.verifications set next_at = now(), detail = null where webhook_id = ${id}`);
  await askDue();
};

const echo: Answer = ({ method, body }, response) => {
  response.writeHead(method === 'OPTIONS' ? 405 : 200).end(method === 'OPTIONS' ? '' : body);
};

/** What `@hookwright/receiver` answers with this secret. */
const byReceiver = (secret: string, on: object = {}): Answer => {
  const receive = receiverOf({ secret, on: on as never, onRefused: () => {} });
  return ({ method, headers, body }, response) => {
    const init = { method, headers: headers as Record<string, string> };
    const request = new Request(
      'http://localhost/',
      method === 'OPTIONS' ? init : { ...init, body: new Uint8Array(body) },
    );
    void receive(request).then(async (said) => response.writeHead(said.status).end(await said.text()));
  };
};

const events = ({ received }: Receiver) => received.map(({ method, headers }) => headers['x-service-event'] ?? method);

describe('a new endpoint', () => {
  test('gets nothing but the challenge until it has given it back, and then what was held', async () => {
    await open();
    const endpoint = await receiver(answer(200));
    const { id, secret } = await create(endpoint.url);
    expect(await state(id)).toMatchObject({ active: false, reason: 'UNVERIFIED', status: 'PENDING', asks: 0 });
    stack.startDaemon();
    const eventId = await stack.emit();
    expect(await stack.reaches(eventId, 'HELD')).toMatchObject({ attempt_count: 0 });
    expect(await asked(id, 1)).toMatchObject({
      active: false,
      status: 'PENDING',
      detail: 'OPTIONS: HTTP_200 without WebHook-Allowed-Origin; webhook.challenge: HTTP_200 without the challenge',
      options: 'NO_ALLOWED_ORIGIN',
      challenge: 'NO_ECHO',
    });
    expect((await state(id)).nextIn).toBeGreaterThan(50);
    expect(events(endpoint)).toEqual(['OPTIONS', 'webhook.challenge']);

    const handled: unknown[] = [];
    const on = { '*': ({ event }: { event: string }) => handled.push(event) };
    endpoint.answerWith(byReceiver(secret, on));
    await askNow(id);
    expect(await verified(id)).toMatchObject({
      active: true,
      reason: null,
      method: 'CHALLENGE',
      detail: null,
      options: null,
      challenge: null,
      nextIn: null,
    });
    await stack.reaches(eventId, 'SUCCEEDED');
    expect(handled).toEqual(['coupon.applied']);
    const [entry] = await stack.rows(`select actor, action, after from hookwright.audit_log order by id desc limit 1`);
    expect(entry).toEqual({
      actor: 'SERVICE',
      action: 'WEBHOOK_UPDATED',
      after: JSON.stringify({ active: true, held: 'RELEASE', verified: 'CHALLENGE' }),
    });
  });

  test('whose receiver learns the secret ten minutes later is verified by itself', async () => {
    await open();
    const endpoint = await receiver(byReceiver(`whsec_${Buffer.alloc(32, 'x').toString('base64')}`));
    const { id, secret } = await create(endpoint.url);
    await askDue();
    const pauses: number[] = [];
    for (let asks = 1; asks <= 3; asks += 1) {
      const { nextIn, ...said } = await asked(id, asks);
      expect(said).toMatchObject({
        detail: 'OPTIONS: HTTP_405; webhook.challenge: HTTP_401',
        options: 'HTTP_405',
        challenge: 'HTTP_401',
      });
      pauses.push(Math.round(nextIn! / 60));
      if (asks === 3) {
        endpoint.answerWith(byReceiver(secret));
      }
      await askNow(id);
    }
    expect(pauses).toEqual([1, 5, 30]);
    expect(await verified(id)).toMatchObject({ active: true, asks: 4 });
  });

  test('that is a page which answers 200 to everything is asked six times, and has failed', async () => {
    await open();
    const endpoint = await receiver(answer(200, { 'content-type': 'text/html' }, '<h1>Welcome</h1>'));
    const { id } = await create(endpoint.url);
    await askDue();
    for (let asks = 1; asks <= 5; asks += 1) {
      await asked(id, asks);
      await askNow(id);
    }
    await stack.rows('delete from hookwright.challenge_hosts');
    expect(await until(id, ({ status }) => status === 'FAILED')).toMatchObject({
      active: false,
      asks: 6,
      nextIn: null,
    });
    await verifyWebhook(stack.services.db, stack.tenantId, id);
    await askDue();
    expect(await until(id, ({ asks, nextIn }) => asks === 1 && (nextIn ?? 0) > 0)).toMatchObject({ status: 'PENDING' });
    expect(endpoint.received.length).toBeGreaterThanOrEqual(12);
  });

  test('proves it by OPTIONS as CloudEvents has it, and its rate is kept if it is lower', async () => {
    await open({ PUBLIC_URL: 'https://hooks.example.com' });
    const allows = (rate: string): Answer =>
      answer(200, { 'WebHook-Allowed-Origin': 'hooks.example.com', 'WebHook-Allowed-Rate': rate });
    const rates = async (id: number) =>
      (await stack.rows(`select rate_per_second as rate from hookwright.webhook_options where webhook_id = ${id}`))[0];
    const [slow, quick] = [await receiver(allows('120')), await receiver(allows('6000'))];
    const one = await create(slow.url);
    const other = await create(quick.url, { ratePerSecond: 50 });
    await askDue();
    expect(await verified(one.id)).toMatchObject({ active: true, method: 'OPTIONS' });
    expect(await verified(other.id)).toMatchObject({ active: true, method: 'OPTIONS' });
    expect([await rates(one.id), await rates(other.id)]).toEqual([{ rate: 2 }, { rate: 50 }]);
    const [first] = slow.received as [Received];
    expect(first).toMatchObject({
      method: 'OPTIONS',
      path: '/hook',
      headers: { 'webhook-request-origin': 'hooks.example.com' },
    });
    expect(first.body).toHaveLength(0);
    stack.startDaemon();
    await stack.emit();
    await stack.succeeded(2);
  });

  test('is asked with its own headers and authentication', async () => {
    await open();
    const endpoint = await receiver(({ headers, method, body }, response) => {
      const isKnown = headers.authorization === 'Bearer s3cr3t-of-the-receiver' && headers['x-env'] === 'prod';
      response.writeHead(isKnown && method === 'PUT' ? 200 : 401).end(isKnown ? body : '');
    });
    const { id } = await create(endpoint.url, {
      method: 'PUT',
      headers: { set: [{ name: 'X-Env', value: 'prod', secret: false }], remove: [] },
      auth: { bearer: 's3cr3t-of-the-receiver' },
    });
    await askDue();
    expect(await verified(id)).toMatchObject({ method: 'CHALLENGE' });
    expect(endpoint.received.map(({ headers }) => headers['x-env'])).toEqual(['prod', 'prod']);
  });

  test('that is paused is asked too, and stays paused', async () => {
    await open();
    const endpoint = await receiver(echo);
    const { id } = await create(endpoint.url, { paused: HOLD });
    await askDue();
    expect(await verified(id)).toMatchObject({ active: false, reason: 'PAUSED' });
    await stack.change(id, { active: true, challenge: true });
    expect(await state(id)).toMatchObject({ active: true, reason: null });
  });
});

describe('an endpoint that is there already', () => {
  test('goes on, also with another query, until it gets another origin or path', async () => {
    await open();
    const endpoint = await receiver(answer(200));
    const { id } = await stack.webhook(endpoint.url);
    stack.startDaemon();
    await stack.reaches(await stack.emit(), 'SUCCEEDED');
    await stack.change(id, { url: `${endpoint.url}?key=2`, challenge: true });
    await stack.reaches(await stack.emit(), 'SUCCEEDED');
    expect(events(endpoint)).toEqual(['coupon.applied', 'coupon.applied']);

    await stack.change(id, { url: endpoint.url.replace('/hook', '/other'), challenge: true });
    expect(await state(id)).toMatchObject({ active: false, reason: 'UNVERIFIED', status: 'PENDING', generation: 1 });
    const eventId = await stack.emit();
    await stack.reaches(eventId, 'HELD');
    await expect(stack.change(id, { active: true, challenge: true })).rejects.toThrow('has not proved yet');
    endpoint.answerWith(echo);
    await verifyWebhook(stack.services.db, stack.tenantId, id);
    await verified(id);
    await stack.reaches(eventId, 'SUCCEEDED');
  });

  test('does not come back by a probe at an address that has proved nothing', async () => {
    await open({ ENDPOINT_RECOVERY: 'AUTOMATIC' });
    const endpoint = await receiver(answer(200));
    const { id } = await stack.webhook('http://127.0.0.1:1/');
    await stack.rows(`update hookwright.webhooks set active = false, disabled_reason = 'FAILURES', disabled_at = now(),
      hold_until = now() + interval '1 day' where id = ${id}`);
    await stack.change(id, { url: endpoint.url, challenge: true });
    expect(await state(id)).toMatchObject({ active: false, reason: 'UNVERIFIED' });
    await askDue();
    await asked(id, 1);
    expect(events(endpoint)).toEqual(['OPTIONS', 'webhook.challenge']);
  });
});

describe('an answer that comes too late', () => {
  /** A daemon has asked, and the endpoint's answer to the challenge waits. */
  async function whileAsking(): Promise<{ id: number; endpoint: Receiver; respond: () => Promise<void> }> {
    await open();
    const endpoint = await receiver();
    let respond: (() => void) | undefined;
    endpoint.answerWith(({ method, body }, response) => {
      if (method === 'OPTIONS') {
        response.writeHead(404).end();
      } else {
        respond = () => response.writeHead(200).end(body);
      }
    });
    const { id } = await create(endpoint.url);
    const asking = askDue();
    const answerNow = await eventually(() => respond);
    return {
      id,
      endpoint,
      respond: () => {
        answerNow();
        return asking;
      },
    };
  }

  test('proves nothing of another url', async () => {
    const { id, respond } = await whileAsking();
    const other = await receiver(answer(200));
    await stack.change(id, { url: other.url, challenge: true });
    await respond();
    expect(await state(id)).toMatchObject({ active: false, status: 'PENDING', method: null, asks: 0 });
    await askDue();
    expect(events(other)).toEqual(['OPTIONS', 'webhook.challenge']);
    expect(await state(id)).toMatchObject({ active: false, status: 'PENDING', asks: 1 });
  });

  test('proves nothing of another url that a process of a version before has set', async () => {
    const { id, respond } = await whileAsking();
    await stack.rows(`update hookwright.webhooks set url = url || '/other' where id = ${id}`);
    await respond();
    expect(await state(id)).toMatchObject({ active: false, status: 'PENDING', method: null });
    expect((await state(id)).nextIn).toBeGreaterThan(30);
  });

  test('proves nothing after a rotation: the endpoint is asked again', async () => {
    const { id, endpoint, respond } = await whileAsking();
    const { db, vault, random } = stack.services;
    endpoint.answerWith(answer(401));
    await rotateSecret(db, vault, random, stack.tenantId, { webhookId: id, overlapHours: 0, by: commandLine });
    await respond();
    expect(await state(id)).toMatchObject({ active: false, status: 'PENDING', method: null, asks: 0 });
    await askDue();
    expect(await state(id)).toMatchObject({ active: false, asks: 1 });
  });

  test('leaves a deleted webhook deleted', async () => {
    const { id, respond } = await whileAsking();
    await deleteWebhook(stack.services.db, stack.tenantId, id, commandLine);
    await respond();
    expect(await state(id)).toMatchObject({ active: false, status: 'PENDING', method: null, nextIn: null });
  });

  test('counts, if url and secret are the same, though another daemon has asked meanwhile', async () => {
    const { id, endpoint, respond } = await whileAsking();
    endpoint.answerWith(answer(401));
    await askNow(id);
    expect(await state(id)).toMatchObject({ active: false, asks: 2, detail: expect.stringContaining('HTTP_401') });
    await respond();
    expect(await state(id)).toMatchObject({ active: true, status: 'VERIFIED' });
  });

  test('and proves nothing does not move the time of the ask that came after it', async () => {
    await open();
    let hold: (() => void) | undefined;
    const endpoint = await receiver(({ method }, response) => {
      if (method === 'OPTIONS' || hold !== undefined) {
        response.writeHead(404).end();
      } else {
        hold = () => response.writeHead(503).end();
      }
    });
    const { id } = await create(endpoint.url);
    const first = askDue();
    const respond = await eventually(() => hold);
    await askNow(id);
    await stack.rows(`update hookwright.verifications set next_at = now() + interval '9 hours'`);
    respond();
    await first;
    expect(await state(id)).toMatchObject({ asks: 2, detail: expect.stringContaining('HTTP_404') });
    expect((await state(id)).nextIn).toBeGreaterThan(8 * 3_600);
  });
});

test('an ask whose daemon has died is made again by another one when its time is over', async () => {
  await open();
  const endpoint = await receiver(echo);
  const { id } = await create(endpoint.url);
  const died = askEndpoints(stack.services, { mayAsk: true, ask: () => new Promise(() => {}) });
  expect(await died.work()).toBe(1);
  await askDue();
  expect(endpoint.received).toEqual([]);
  const { nextIn, asks } = await state(id);
  expect([asks, Math.round(nextIn! / 10)]).toEqual([1, 6]);
  await askNow(id);
  expect(await state(id)).toMatchObject({ active: true, status: 'VERIFIED', asks: 2 });
});

test('an endpoint whose answers end the process is asked six times, and then no more', async () => {
  await open();
  const endpoint = await receiver(echo);
  const { id } = await create(endpoint.url);
  const died = askEndpoints(stack.services, { mayAsk: true, ask: async () => {} });
  for (let asks = 1; asks <= 6; asks += 1) {
    expect(await died.work()).toBe(1);
    await stack.rows('update hookwright.verifications set next_at = now()');
  }
  await askDue();
  expect(await state(id)).toMatchObject({ active: false, status: 'FAILED', asks: 6, nextIn: null });
  expect(endpoint.received).toEqual([]);
});

test('an ask that many daemons look for at once is made by one of them', async () => {
  await open();
  const { db, vault } = stack.services;
  for (const name of ['one', 'two', 'three']) {
    const { id: tenantId } = await createTenant(db, vault, name, commandLine);
    for (let port = 1; port <= 10; port += 1) {
      await create(`http://127.0.0.1:${port}/`, {}, tenantId);
    }
  }
  const taken = (await Promise.all(Array.from({ length: 8 }, () => takeDueAsks(db.pool, 30)))).flat();
  expect(new Set(taken.map(({ webhookId }) => webhookId)).size).toBe(30);
  expect(taken).toHaveLength(30);
});

test('an ask that cannot be made, because nothing leaves the service, does not count', async () => {
  await open();
  const { id } = await create((await receiver(echo)).url);
  const gone = Object.assign(new Error('the proxy is away'), { code: 'EGRESS_PROXY_AWAY' });
  const reject = () => Promise.reject(gone);
  const sender = { send: reject, ask: reject, close: () => Promise.resolve() };
  const sweep = askEndpoints(stack.services, stack.deliverer(sender).challenges);
  await sweep.work();
  await sweep.end!();
  expect(await state(id)).toMatchObject({ status: 'PENDING', asks: 0, detail: null });
  expect((await state(id)).nextIn).toBeLessThan(10);
});

test('the second request of an ask is not sent when the first took too long, and the ask counts', async () => {
  await open();
  const { id } = await create((await receiver(echo)).url);
  const asked: (string | undefined)[] = [];
  const sender = {
    send: async (_: string, { method }: DeliveryRequest): Promise<SendResult> => {
      asked.push(method);
      const wokenAt = performance.now() + 20_000;
      vi.spyOn(performance, 'now').mockImplementation(() => wokenAt);
      return { kind: 'error', code: 'TIMEOUT', durationMs: 10_000 };
    },
    ask: () => Promise.reject(new Error('no token is wanted')),
    close: () => Promise.resolve(),
  };
  const fence = new Fence(() => 0); // the database has been heard all the time
  fence.heard(0);
  const deliverer = new Deliverer({ ...stack.services, sender, fence, metrics: new DaemonMetrics() });
  const sweep = askEndpoints(stack.services, deliverer.challenges);
  await sweep.work();
  await sweep.end!();
  vi.restoreAllMocks();
  expect(asked).toEqual(['OPTIONS']);
  expect(await state(id)).toMatchObject({ asks: 1, detail: 'OPTIONS: TIMEOUT; webhook.challenge: TIMEOUT' });
});

test('four daemons ask one host six times a minute, over its ports and webhooks of two tenants, and others meanwhile', async () => {
  await open();
  const busy = [await receiver(answer(404)), await receiver(answer(404))];
  const { db, vault } = stack.services;
  const other = await createTenant(db, vault, 'another tenant', commandLine);
  for (let made = 0; made < 20; made += 1) {
    const tenantId = made % 2 === 0 ? stack.tenantId : other.id;
    await create(`${busy[made % 3 === 0 ? 0 : 1]!.url}/${made}`, {}, tenantId);
  }
  const asks = () => busy.flatMap(({ received }) => received).filter(({ method }) => method === 'OPTIONS').length;
  const daemons = () =>
    Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let round = 0; round < 4; round += 1) {
          await askDue();
        }
      }),
    );
  const ago = (seconds: number) =>
    stack.rows(`
      update hookwright.challenge_hosts
      set asked_at = array(select at - interval '${seconds} seconds' from unnest(asked_at) at order by at)`);
  await daemons();
  expect(asks()).toBe(6);
  // The others are passed over while they wait, and none of theirs is used up.
  const free = await receiver(echo);
  const { id } = await create(free.url.replace('127.0.0.1', 'localhost'));
  await askDue();
  expect(await state(id)).toMatchObject({ status: 'VERIFIED' });
  expect(await stack.rows("select from hookwright.verifications where status = 'PENDING' and asks > 0")).toHaveLength(
    6,
  );
  await ago(60);
  await stack.rows('update hookwright.verifications set next_at = now() where next_at is not null');
  await daemons();
  expect(asks()).toBe(6);
  await ago(30);
  await daemons();
  expect(asks()).toBe(12);
});
