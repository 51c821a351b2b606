import { afterEach, describe, expect, it, vi } from 'vitest';
import { webhook } from '../../packages/receiver/src/adapters/fetch.js';
import { webhook as nextWebhook } from '../../packages/receiver/src/adapters/next.js';
import { type Dedupe, memory } from '../../packages/receiver/src/dedupe/index.js';
import type { AnyEvents, WebhookOptions } from '../../packages/receiver/src/webhook.js';
import { signedHeaders } from '../support/signed-headers.js';

const secret = `whsec_${Buffer.alloc(33, 'a').toString('base64')}`;
const other = `whsec_${Buffer.alloc(33, 'b').toString('base64')}`;

function request({
  body = '{"code":"A/1"}',
  signedBy = secret,
  event = 'coupon.applied',
  id = 1,
  method = 'POST',
} = {}) {
  const headers = signedHeaders({ secret: signedBy, body, event, id });
  return new Request('http://localhost/webhooks', { method, ...(method.startsWith('P') && { body }), headers });
}

type Options = Partial<WebhookOptions<AnyEvents, unknown>>;

const on = { 'coupon.applied': vi.fn(async () => {}) };
const onError = vi.fn();
const onRefused = vi.fn();
const receiver = (options: Options = {}) => webhook({ secret, on, onError, onRefused, ...options });

/** Its status, and its result, or the reason and the message of a refusal. */
async function answerOf(response: Response | Promise<Response>): Promise<string> {
  const { result, reason, message } = await (await response).json();
  return `${(await response).status} ${result ?? `${reason}: ${message}`}`;
}

/** What it comes to, while the waits of the receiver cost no time. */
async function passingTime(answer: Promise<string>): Promise<string> {
  for (
    let said: string | undefined;
    ;
    said = await Promise.race([answer, new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)))])
  ) {
    if (said !== undefined) {
      return said;
    }
    vi.runOnlyPendingTimers();
  }
}

afterEach(() => {
  vi.clearAllMocks();
  // Before the timers: a spy on setTimeout would give the fake one back.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('a webhook', () => {
  it('gives a genuine delivery to the handler of its event, and answers 200 after it', async () => {
    expect(await answerOf(receiver()(request()))).toBe('200 handled');
    expect(on['coupon.applied']).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ event: 'coupon.applied', deliveryId: '1', payload: { code: 'A/1' } }),
      undefined,
    );
  });

  it('takes events without a handler, whatever they are called, and gives them to * if there is one', async () => {
    for (const event of ['booking.created', 'constructor', '__proto__', '*']) {
      expect(await answerOf(receiver()(request({ event })))).toBe('200 ignored');
      const all = vi.fn();
      expect(await answerOf(receiver({ on: { ...on, '*': all } })(request({ event })))).toBe('200 handled');
      expect(all).toHaveBeenCalledOnce();
    }
    expect(on['coupon.applied']).not.toHaveBeenCalled();
  });

  it('answers 401 with the reason to a request that is not genuine, and reports it', async () => {
    expect(await answerOf(receiver()(request({ signedBy: other })))).toMatch(/^401 WRONG_SECRET: /);
    expect(onRefused).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ reason: 'WRONG_SECRET' }));
    expect(on['coupon.applied']).not.toHaveBeenCalled();
  });

  it('answers 500 when the handler throws, and reports the error without telling the sender', async () => {
    const error = new Error('disk full at /var/lib');
    const failing = () => {
      throw error;
    };
    const answer = await answerOf(receiver({ on: { 'coupon.applied': failing } })(request()));
    expect(answer).toBe("500 HANDLER_FAILED: It failed: the receiver's log has the error.");
    expect(onError).toHaveBeenCalledExactlyOnceWith(error);
  });

  it('writes to the console what is not reported elsewhere', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    const handler = vi.fn().mockRejectedValue(new Error('full'));
    const silent = webhook({ secret, on: { 'coupon.applied': handler } });
    await silent(request({ signedBy: other }));
    await silent(request());
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^A delivery was refused: WRONG_SECRET\. No secret fits/)],
    ]);
    expect(error.mock.calls).toEqual([['A delivery failed:', expect.any(Error)]]);
  });

  it.each(['POST', 'PUT', 'PATCH'])('takes a delivery by %s', async (method) => {
    expect(await answerOf(receiver()(request({ method })))).toBe('200 handled');
  });

  it.each(['GET', 'OPTIONS', 'DELETE'])('answers 405 to %s', async (method) => {
    const response = await receiver()(request({ method }));
    expect(response.headers.get('allow')).toBe('POST, PUT, PATCH');
    expect(await answerOf(response)).toMatch(/^405 METHOD_NOT_ALLOWED: /);
  });

  it('answers 413 to a body above the limit, whether its length is announced or not', async () => {
    const tight = receiver({ bodyBytesMax: 14 });
    expect(await answerOf(tight(request()))).toBe('200 handled');
    expect(await answerOf(tight(request({ body: '{"code":"A/12"}' })))).toMatch(/^413 BODY_TOO_LARGE: /);
    const streamed = (body: ReadableStream) =>
      new Request('http://localhost', { method: 'POST', body, duplex: 'half' } as RequestInit);
    const endless = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(10)) });
    expect(await answerOf(tight(streamed(endless)))).toMatch(/^413 BODY_TOO_LARGE: /);
    const cut = new ReadableStream({ pull: (stream) => stream.error(new Error('reset')) });
    expect(await answerOf(tight(streamed(cut)))).toMatch(/^400 BODY_CUT_OFF: /);
  });

  it('takes a payload of 1 MiB', async () => {
    expect(await answerOf(receiver()(request({ body: JSON.stringify('x'.repeat(1_048_574)) })))).toBe('200 handled');
  });

  it('answers 500 to a delivery without an event, for it would be lost as an unknown one', async () => {
    expect(await answerOf(receiver({ headerPrefix: 'Acme' })(request()))).toMatch(/^500 NO_EVENT: /);
    expect(onError).toHaveBeenCalledOnce();
  });

  it('says which line to change when the body was read before', async () => {
    const used = request();
    await used.json();
    expect(await answerOf(receiver()(used))).toMatch(/^500 BODY_PARSED: .*clone\(\)/);
  });
});

describe('the secret of a webhook', () => {
  it('is looked at when the webhook is made', () => {
    expect(() => receiver({ secret: 'too short' })).toThrow('9 characters');
    expect(() => receiver({ secret: undefined })).toThrow('environment variable');
    for (const edged of [`"${secret}"`, `'${secret}'`, ` ${secret}`, `${secret}\n`]) {
      expect(() => receiver({ secret: edged })).toThrow('a blank, a line break or a quotation mark at its edge');
    }
  });

  it('goes with handlers, which are looked at then too', () => {
    expect(() => receiver({ on: undefined as never })).toThrow('"on" must be an object');
    expect(() => receiver({ on: { 'coupon.applied': 'text' as never } })).toThrow(
      'on["coupon.applied"] must be a function',
    );
    expect(() => receiver({ on: { 'coupon.applied': undefined } })).not.toThrow();
  });

  it('may come from a function of the environment, which has no secret but at a request', async () => {
    const seen = vi.fn();
    const worker = webhook<AnyEvents, { SECRET: string }>({
      secret: ({ SECRET }) => SECRET,
      on: { '*': (_delivery, environment) => seen(environment) },
      onError,
    });
    expect(await answerOf(worker(request(), { SECRET: secret }))).toBe('200 handled');
    expect(seen).toHaveBeenCalledWith({ SECRET: secret });
    expect(await answerOf(worker(request(), { SECRET: '' }))).toMatch(/^500 SECRET_MALFORMED: /);
    expect(onError).toHaveBeenCalledOnce();
  });

  it('may be missing while next build loads a route, and is asked for at the first request', async () => {
    const route = nextWebhook({ secret: undefined, on, onError });
    expect(await answerOf(route(request()))).toMatch(/^500 SECRET_MALFORMED: /);
    expect(() => nextWebhook({ secret: 'too short', on })).toThrow('9 characters');
  });
});

describe('a webhook with a memory', () => {
  it('runs the handler once for a delivery, and answers 200 to its repetitions', async () => {
    const receive = receiver({ dedupe: memory() });
    const answers = await Promise.all([request(), request(), request({ id: 2 })].map((one) => answerOf(receive(one))));
    expect(answers).toEqual(['200 handled', '200 duplicate', '200 handled']);
    expect(await answerOf(receive(request()))).toBe('200 duplicate');
    expect(on['coupon.applied']).toHaveBeenCalledTimes(2);
  });

  it('runs it again after it has thrown, also for a copy that waits meanwhile', async () => {
    const handler = vi.fn().mockRejectedValueOnce(new Error('full'));
    const receive = receiver({ dedupe: memory(), on: { 'coupon.applied': handler } });
    const answers = await Promise.all([answerOf(receive(request())), answerOf(receive(request()))]);
    // Which one comes first is decided by their signatures, which are checked beside each other.
    expect(answers.sort()).toEqual(['200 handled', expect.stringMatching(/^500 /)]);
    expect(handler).toHaveBeenCalledTimes(2);
  });

  it('answers 409 after 10 seconds, while another copy still runs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const waited = vi.spyOn(globalThis, 'setTimeout');
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const handler = () => {
      begun.resolve();
      return promise;
    };
    const receive = receiver({ dedupe: memory(), on: { 'coupon.applied': handler } });
    const first = answerOf(receive(request()));
    await begun.promise;
    const second = answerOf(receive(request()));
    expect(await passingTime(second)).toMatch(/^409 RUNNING: /);
    // Others in this process may wait too, but not for so short a time.
    const looks = waited.mock.calls.filter(([, ms]) => ms === 200);
    expect(looks).toHaveLength(10_000 / 200);
    const third = answerOf(receive(request()));
    resolve();
    expect(await first).toBe('200 handled');
    expect(await passingTime(third)).toBe('200 duplicate');
  });

  it('answers 500 when the memory fails before the handler, and 200 when it fails after it', async () => {
    const store = { begin: vi.fn().mockResolvedValue('new'), done: vi.fn(), forget: vi.fn() };
    store.done.mockRejectedValue(new Error('store down'));
    expect(await answerOf(receiver({ dedupe: store })(request()))).toBe('200 handled');
    expect(onError).toHaveBeenCalledOnce();
    store.begin.mockRejectedValue(new Error('store down'));
    expect(await answerOf(receiver({ dedupe: store })(request()))).toMatch(/^500 /);
    expect(on['coupon.applied']).toHaveBeenCalledOnce();
  });

  it('takes a memory in JavaScript that returns no promises, or throws', async () => {
    const seen = new Set<string>();
    const store = {
      begin: (id: string) => (seen.has(id) ? 'done' : 'new'),
      done: (id: string) => void seen.add(id),
      forget: () => undefined,
    } as unknown as Dedupe;
    expect(await answerOf(receiver({ dedupe: store })(request()))).toBe('200 handled');
    expect(await answerOf(receiver({ dedupe: store })(request()))).toBe('200 duplicate');
    const done = () => {
      throw new Error('store down');
    };
    expect(await answerOf(receiver({ dedupe: { ...store, done } })(request({ id: 2 })))).toBe('200 handled');
    expect(onError).toHaveBeenCalledOnce();
  });

  it('asks it nothing about requests that are not genuine, or have no handler', async () => {
    const store = { begin: vi.fn(), done: vi.fn(), forget: vi.fn() };
    await receiver({ dedupe: store })(request({ signedBy: other }));
    await receiver({ dedupe: store })(request({ event: 'booking.created' }));
    expect(store.begin).not.toHaveBeenCalled();
  });
});
