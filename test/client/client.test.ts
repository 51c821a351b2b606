import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createClient, HookwrightError } from '../../packages/client/src/index.js';
import { ApiOverSockets } from '../support/api-over-sockets.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { ownPort } from '../support/loopback.js';
import { answers, badGateway, Front, lostAnswer, passed } from './front.js';

interface Events {
  'coupon.applied': { code: string; discount_type: string };
  'voucher.emitted': { booking_code: string; voucher_number: string };
}

let stack: DeliveryStack;
let api: ApiOverSockets;
let front: Front;
let key: string;
beforeAll(async () => {
  stack = await DeliveryStack.open();
  await stack.webhook('http://127.0.0.1:9/');
  api = await ApiOverSockets.open(stack.services, stack.tenantId);
  front = await Front.open(`http://127.0.0.1:${api.port}`);
  key = (await makeKey(stack.services, stack.tenantId, ['events:emit'])).key;
});
afterAll(async () => {
  await front[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});
beforeEach(() => void front.next());

const client = (options: object = {}) => createClient<Events>({ url: front.url, key, ...options });
const coupon = (code = 'SUMMER') => ({ code, discount_type: 'percent' });
const failure = async (work: Promise<unknown>): Promise<HookwrightError> => {
  const error = await work.then(
    () => 'it was accepted',
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(HookwrightError);
  return error as HookwrightError;
};
const countEvents = async (): Promise<number> => {
  const [row] = await stack.rows<{ count: number }>('select count(*)::integer as count from hookwright.events');
  return row!.count;
};

describe('emit', () => {
  test('with a key that may do nothing else makes a delivery for each webhook', async () => {
    const emitted = await client().emit('coupon.applied', coupon());
    expect(emitted).toEqual({ eventId: expect.stringMatching(/^ev_\d+$/), deliveryCount: 1, duplicate: false });
    const delivery = await stack.delivery(Number(emitted.eventId.slice(3)));
    expect(delivery.status).toBe('PENDING');
  });

  test('with a platform key is for the tenant that its number, id or external id names', async () => {
    const { key: platformKey } = await makeKey(stack.services, null, ['platform:support']);
    await stack.rows(`update hookwright.tenants set external_id = 'acme 42' where id = ${stack.tenantId}`);
    for (const tenant of [stack.tenantId, `tn_${stack.tenantId}`, 'ext:acme 42']) {
      const emitted = await client({ key: platformKey, tenant }).emit('coupon.applied', coupon());
      expect(emitted).toMatchObject({ deliveryCount: 1 });
    }
    const nobody = client({ key: platformKey, tenant: 'ext:nobody' });
    expect(await failure(nobody.emit('coupon.applied', coupon()))).toMatchObject({
      code: 'not_found',
      path: ['tenantId'],
    });
  });

  test('with a key of its own gives the same event twice; without one, two events', async () => {
    const idempotencyKey = 'SUMMER-applied';
    const first = await client().emit('coupon.applied', coupon(), { idempotencyKey });
    expect(await client().emit('coupon.applied', coupon(), { idempotencyKey })).toEqual({ ...first, duplicate: true });
    const [one, two] = [
      await client().emit('coupon.applied', coupon()),
      await client().emit('coupon.applied', coupon()),
    ];
    expect(one.eventId).not.toBe(two.eventId);

    const reused = await failure(client().emit('coupon.applied', coupon('WINTER'), { idempotencyKey }));
    expect(reused).toMatchObject({ code: 'idempotency_key_reused', path: ['idempotencyKey'], retryable: false });
    expect(reused.message).toMatch(/^coupon\.applied was not accepted: The idempotency key was used for another/);
  });

  test('names the rule that a payload breaks, its place and its request, and is not repeated', async () => {
    const error = await failure(client().emit('coupon.applied', { code: 7 } as never));
    expect(error).toMatchObject({
      code: 'schema_required',
      path: ['payload', 'discount_type'],
      retryable: false,
      requestId: expect.stringMatching(/^[\w-]{36}$/),
      idempotencyKey: expect.stringMatching(/^[\w-]{36}$/),
    });
    expect(error.issues.map(({ path }) => path.join('.')).sort()).toEqual(['payload.code', 'payload.discount_type']);
    expect(error.message).toBe('coupon.applied was not accepted: payload.discount_type is required (and 1 more)');
    expect((await failure(client().emit('no.such' as never, {} as never))).code).toBe('event_type_unknown');
    expect(front.requests).toHaveLength(2);
  });

  test('takes the state before, the webhooks that it is for, and how long it is kept', async () => {
    const { id } = await makeWebhook(stack.services, stack.tenantId);
    const previous = coupon('before');
    const emit = (to: object[]) =>
      client().emit('coupon.applied', coupon(), { previous, keepHours: 2, orderingKey: 'a', to });
    const eventOf = async ({ eventId }: { eventId: string }) =>
      (
        await stack.rows<object>(
          `select e.previous, e.ordering_key, x.event_id is not null as ends from hookwright.events e
           left join hookwright.event_ends x on x.event_id = e.id where e.id = ${eventId.slice(3)}`,
        )
      )[0];
    const emitted = await emit([{ webhookId: id }]);
    expect(emitted.deliveryCount).toBe(1);
    expect(await eventOf(emitted)).toEqual({ previous: JSON.stringify(previous), ordering_key: 'a', ends: true });
    expect((await emit([{ webhookId: `wh_${id}` }])).deliveryCount).toBe(1);
    const unknown = await failure(emit([{ webhookId: `wh_${id}` }, { externalId: 'nobody' }]));
    expect(unknown).toMatchObject({ code: 'webhook_unknown', path: ['to', '1'], retryable: false });
    const [many] = await client().emitMany([{ event: 'coupon.applied', payload: coupon(), to: [{ webhookId: id }] }]);
    expect(many!.deliveryCount).toBe(1);
  });

  test('what is not a JSON object is not sent', async () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const codeFor = async (payload: unknown, options: object = {}) =>
      (await failure(client().emit('coupon.applied', payload as never, options))).code;
    expect(await codeFor(circular)).toBe('not_json');
    expect(await codeFor({ code: 1n })).toBe('not_json');
    expect(await codeFor([])).toBe('no_object');
    expect(await codeFor(undefined)).toBe('no_object');
    expect(await codeFor(coupon(), { idempotencyKey: 7 })).toBe('no_text');
    expect(await codeFor(coupon(), { previous: circular })).toBe('not_json');
    expect(await codeFor(coupon(), { previous: [] })).toBe('no_object');
    expect(await codeFor(coupon(), { previous: null })).toBe('no_object');
    expect(await codeFor(coupon(), { keepHours: 1.5 })).toBe('no_whole_number');
    expect(await codeFor(coupon(), { keepHours: 2 ** 31 })).toBe('no_whole_number');
    for (const to of ['wh_1', null, [null], [{ id: 'wh_1' }], [{ webhookId: {} }], [{ webhookId: 1, path: 7 }]]) {
      expect(await codeFor(coupon(), { to })).toBe('no_targets');
    }
    expect(front.requests).toEqual([]);
  });

  test('with a platform key goes to the tenant of the client or of the emit', async () => {
    const platform = await makeKey(stack.services, null, ['platform:support']);
    const other = await makeTenant(stack.services);
    const emit = (tenant?: number | string, options: object = {}) =>
      client({ key: platform.key, tenant }).emit('coupon.applied', coupon(), options);
    const tenantOf = async ({ eventId }: { eventId: string }) =>
      (
        await stack.rows<{ id: string }>(`select tenant_id as id from hookwright.events where id = ${eventId.slice(3)}`)
      )[0];
    expect(await tenantOf(await emit(stack.tenantId))).toEqual({ id: stack.tenantId });
    expect(await tenantOf(await emit(stack.tenantId, { tenant: `tn_${other.id}` }))).toEqual({ id: other.id });
    const error = await failure(emit());
    expect(error).toMatchObject({ code: 'tenant_required', retryable: false });
    expect(error.message).toContain('createClient({ tenant })');
  });
});

describe('emitMany', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ event: 'coupon.applied' as const, payload: coupon(`C${n}`) }));

  test('sends 250 events in three requests, and answers in their order', async () => {
    const emitted = await client().emitMany(many(250));
    expect(new Set(emitted.map(({ eventId }) => eventId)).size).toBe(250);
    expect(front.requests.map(({ body }) => JSON.parse(body).variables.input.events.length)).toEqual([100, 100, 50]);
    const last = emitted.at(-1)!.eventId.slice(3);
    expect(await stack.rows(`select body from hookwright.events where id = ${last}`)).toEqual([
      { body: JSON.stringify(coupon('C249')) },
    ]);
    expect(await client().emitMany([])).toEqual([]);
  });

  test('keeps its requests below the size that the service takes', async () => {
    const big = 'x'.repeat(250_000);
    await client().emitMany(many(10).map((one) => ({ ...one, payload: coupon(big) })));
    expect(front.requests.length).toBeGreaterThan(1);
  });

  test('throws when an event is refused, and its results say which were accepted', async () => {
    const events = [...many(3), { event: 'coupon.applied' as const, payload: {} as never }, ...many(1)];
    events.push({ event: 'coupon.applied', payload: 'text' as never });
    const before = await countEvents();
    const error = await failure(client().emitMany(events));
    expect(error.message).toBe(
      '2 of 6 events were not accepted. The first of them is events[3]: coupon.applied was not accepted: payload.code is required (and 1 more)',
    );
    expect(error).toMatchObject({ code: 'schema_required', path: [3, 'payload', 'code'], retryable: false });
    expect(
      error.results?.map((result) => (result instanceof HookwrightError ? result.code : result.duplicate)),
    ).toEqual([false, false, false, 'schema_required', false, 'no_object']);
    expect(await countEvents()).toBe(before + 4);
  });

  test('does not send the rest after a request that failed, and the keys of the errors repeat it safely', async () => {
    const events = many(250);
    const before = await countEvents();
    front.next(passed, lostAnswer, answers(503, { 'retry-after': '600' }));
    const error = await failure(client().emitMany(events));
    const codes = error.results!.map((result) => (result instanceof HookwrightError ? result.code : 'accepted'));
    expect(Object.groupBy(codes, (code) => code)).toMatchObject({
      accepted: { length: 100 },
      unavailable: { length: 100 },
      not_sent: { length: 50 },
    });
    expect(error).toMatchObject({ code: 'unavailable', retryable: true });
    expect(front.requests).toHaveLength(3);

    const rest = events.flatMap((event, index) => {
      const result = error.results![index];
      return result instanceof HookwrightError ? [{ ...event, idempotencyKey: result.idempotencyKey }] : [];
    });
    const duplicates = (await client().emitMany(rest)).filter(({ duplicate }) => duplicate);
    expect(duplicates).toHaveLength(100);
    expect(await countEvents()).toBe(before + 250);
  });
});

describe('a request that fails', () => {
  test('without an answer is repeated with the same key, and the event is there once', async () => {
    const before = await countEvents();
    front.next(lostAnswer, badGateway, lostAnswer);
    expect(await client().emit('coupon.applied', coupon())).toMatchObject({ duplicate: true });
    expect(new Set(front.requests.map(({ body }) => body)).size).toBe(1);
    expect(front.requests).toHaveLength(4);
    expect(await countEvents()).toBe(before + 1);
  });

  test.each([408, 429, 502, 503, 504])('with %i is repeated', async (status) => {
    front.next(answers(status));
    await client().emit('coupon.applied', coupon());
    expect(front.requests).toHaveLength(2);
  });

  test.each([400, 401, 403, 404, 413, 500])('with %i is not', async (status) => {
    front.next(answers(status));
    expect(await failure(client().emit('coupon.applied', coupon()))).toMatchObject({ retryable: status === 500 });
    expect(front.requests).toHaveLength(1);
  });

  test('comes again after Retry-After, and not at all when there is no time for it', async () => {
    front.next(answers(503, { 'retry-after': '1' }));
    await client().emit('coupon.applied', coupon());
    expect(front.requests[1]!.at - front.requests[0]!.at).toBeGreaterThanOrEqual(990);

    front.next(answers(429, { 'retry-after': new Date(Date.now() + 90_000).toUTCString() }));
    const error = await failure(client().emit('coupon.applied', coupon()));
    expect(error).toMatchObject({ code: 'unavailable', retryable: true });
    expect(front.requests).toHaveLength(1);
  });

  test('ends within timeoutMs, also where nobody answers', async () => {
    const silent = () => {};
    front.next(silent, silent);
    const startedAt = performance.now();
    const error = await failure(client({ timeoutMs: 300 }).emit('coupon.applied', coupon()));
    expect(error).toMatchObject({ code: 'timed_out', retryable: true, requestId: null });
    expect(error.message).toMatch(/^coupon\.applied was not accepted: Hookwright at \S+ did not answer within 0\.3 s/);
    expect(performance.now() - startedAt).toBeLessThan(3_000);

    front.next(...Array.from({ length: 20 }, () => badGateway));
    const gateway = await failure(client({ timeoutMs: 700 }).emit('coupon.applied', coupon()));
    expect(gateway).toMatchObject({ code: 'unavailable', retryable: true });
    expect(gateway.message).toMatch(
      /answers 502 \("502 Bad Gateway"\), and not as Hookwright does: a proxy before it says .* \(\d tries in 0\.\d s\)\.$/,
    );
  });
});

describe('a mistake in the settings', () => {
  const says = async (options: object) => (await failure(client(options).emit('coupon.applied', coupon()))).message;

  test('is named where it can be seen at once', () => {
    expect(() => client({ url: undefined })).toThrow('createClient: url is undefined, and must be the address of');
    expect(() => client({ url: 'localhost:3000' })).toThrow('url is "localhost:3000", and must be');
    expect(() => client({ key: undefined })).toThrow(
      'key is missing. The command "key create" of Hookwright makes one.',
    );
    expect(() => client({ key: 'hw_1_x\n' })).toThrow('key has characters that no key has');
  });

  test('is otherwise named by its remedy, without the key', async () => {
    const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    const refused = await says({ key: wrong });
    expect(refused).toContain(`refuses the key ${/^hw_\d+_/.exec(key)![0]}…`);
    expect(refused).not.toContain(wrong);
    expect(await says({ key: 'sk_live_1' })).toContain(
      'refuses the key that it got: keys of Hookwright begin with "hw_".',
    );
    const reader = await makeKey(stack.services, stack.tenantId, ['events:read']);
    expect(await says({ key: reader.key })).toContain('events:emit');

    expect(await says({ url: `${front.url}/graphql` })).toMatch(/answers 404 .*Is http\S+\/graphql its address\?/);
    front.next(answers(308, { location: 'https://hooks.example.com/graphql' }));
    expect(await says({})).toContain('answers 308 and redirects to https://hooks.example.com/graphql');
    front.next(answers(200, { 'content-type': 'text/html' }, '<title>Sign in</title>'));
    expect(await says({})).toContain('answers 200 ("Sign in"), and not as Hookwright does. Is');
    const untimed: typeof fetch = (url, init) => fetch(url, { ...init, signal: null });
    const nowhere = { url: `http://127.0.0.1:${await ownPort()}`, timeoutMs: 1, fetch: untimed };
    expect(await says(nowhere)).toMatch(/cannot be reached: .*ECONNREFUSED/);
  });
});
