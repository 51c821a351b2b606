import { afterEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { couponEmit } from '../support/factories.js';
import { LiveApi } from '../support/live-api.js';

const WITHIN_MS = 20_000;

let api: LiveApi | undefined;
afterEach(() => api?.[Symbol.asyncDispose]());

/** One of the longest payloads: 16 of them are all that updates may have that are read together. */
const payload = { code: 'x'.repeat(256 * 1024 - 31), discount_type: 'y' };

/** With PAYLOAD_BYTES_MAX at its greatest; four of them are as much. */
const longest = { ...payload, code: 'x'.repeat(1024 * 1024 - 31) };

async function follow(fields: string, body: object = payload) {
  api = await LiveApi.open();
  await api.stack.webhook('https://receiver.example.com/');
  const stream = await api.follow(`subscription { deliveryUpdated { delivery { id ${fields} } } }`);
  const emit = (count: number) =>
    api!.stack.services.emitter.emit(
      Array.from({ length: count }, () => couponEmit(api!.stack.tenantId, { body: JSON.stringify(body) })),
    );
  const told = (count: number) =>
    eventually(() => stream.updates.filter(({ delivery }) => delivery).length >= count, WITHIN_MS);
  return { stream, emit, told };
}

test('updates with long payloads are told in portions, and lack nothing', async () => {
  const { stream, emit, told } = await follow('event { payload }');
  await emit(40);
  await told(40);
  expect(stream.errors).toEqual([]);
  expect(stream.updates.at(-1).delivery.event).toEqual({ payload });
});

test('an update that would be too long says so, and the stream goes on', async () => {
  const { stream, emit, told } = await follow('asCurl event { body a: body b: body c: body }', longest);
  await emit(1);
  await told(1);
  expect(stream.errors[0]).toMatchObject({
    message: expect.stringContaining('The answer would have more than 4194304 bytes of text.'),
    extensions: { code: 'ANSWER_TOO_LARGE' },
  });
  await emit(1);
  await told(2);
  expect(stream.hasEnded).toBe(false);
});
