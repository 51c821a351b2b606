import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiOverSockets } from '../support/api-over-sockets.js';
import { runHere } from '../support/command.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { makeKey } from '../support/factories.js';
import { runProgram } from '../support/program.js';
import { answer } from '../support/receiver.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let stack: DeliveryStack;
let api: ApiOverSockets;
let url: string;
let subscribed: Endpoint;
let failing: Endpoint;
let other: Endpoint;

beforeAll(async () => {
  stack = await DeliveryStack.open({ RETRY_BASE_SECONDS: '60' });
  api = await ApiOverSockets.open(stack.services, stack.tenantId);
  url = `http://127.0.0.1:${api.port}`;
  subscribed = await stack.endpoint(answer(204), ['booking.created']);
  failing = await stack.endpoint(answer(500));
  other = await stack.endpoint(answer(204), ['coupon.applied']);
  stack.startDaemon();
});
afterAll(async () => {
  await api?.end();
  await stack?.[Symbol.asyncDispose]();
});

const withKey = () => ({ HOOKWRIGHT_URL: url, HOOKWRIGHT_API_KEY: api.key });
const trigger = (args: string[], set: Record<string, string> = withKey()) =>
  runHere(['trigger', '--wait', '30', ...args], set);
const payloads = (endpoint: Endpoint) => endpoint.received.map(({ body }) => JSON.parse(body.toString()));

describe('hookwright trigger', { timeout: 120_000 }, () => {
  it('emits the sample payload with changes, and says for each webhook what became of it', async () => {
    const args = ['booking.created', '--wait', '30', '--set', 'booking_code=007', '--set', 'brand=true'];
    const { code, output, errors } = await runProgram(['trigger', ...args], withKey());
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, ' '))).toEqual([
      expect.stringMatching(/^booking\.created is ev_\d+, for 2 webhooks$/),
      expect.stringMatching(`… wh_${failing.webhookId} ${failing.url} failed: 500; next attempt in \\d+ s`),
      expect.stringMatching(`✓ wh_${subscribed.webhookId} ${subscribed.url} answered 204`),
      expect.stringMatching(`– wh_${other.webhookId} ${other.url} is not subscribed to it`),
      '',
    ]);
    expect(payloads(subscribed)).toEqual([expect.objectContaining({ booking_code: '007', brand: 'true' })]);
  });

  it('says of a held delivery whether the endpoint has to be verified', async () => {
    const held = await stack.endpoint(answer(204), ['voucher.emitted']);
    const inactive = (reason: string) =>
      stack.rows(`
      update hookwright.webhooks set active = false, disabled_reason = '${reason}', disabled_at = now(),
        hold_until = now() + interval '1 hour' where id = ${held.webhookId}`);
    for (const [reason, words] of [
      ['UNVERIFIED', 'held until the endpoint is verified'],
      ['PAUSED', 'held, because the webhook is inactive'],
    ] as const) {
      await inactive(reason);
      expect((await trigger(['voucher.emitted'])).output).toContain(words);
    }
    await stack.rows(`update hookwright.webhooks set event_types = '{webhook.test}' where id = ${held.webhookId}`);
  });

  it('sends several at a rate, and the text of a file as it is', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'payload.json');
    const text = '{ "code": "SUMMER", "discount_type": "percent" }';
    writeFileSync(file, text);
    const { output } = await trigger(['coupon.applied', '--payload', file, '--count', '3', '--rate', '50']);
    expect(output).toMatch(
      /^coupon\.applied: 3 events in \d\.\d s\. The last one is ev_\d+, for 2 webhooks \(6 deliveries/,
    );
    await eventually(() => other.received.length === 3);
    expect(other.received.map(({ body }) => body.toString())).toEqual([text, text, text]);
  });

  it('tests one webhook alone, with the key and the address that a start has left in the data folder', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'api-key'), `${api.key}\n`);
    writeFileSync(join(folder, 'api-url'), `${url}\n`);
    const { output, errors } = await trigger(['booking.created', '--to', `wh_${other.webhookId}`], {
      DATA_DIR: folder,
    });
    expect(errors).toBe('');
    expect(output).toMatch(/^booking\.created is dl_\d+, for 1 webhook\n {2}✓ {2}wh_\d+ .* answered 204\n$/);
    const elsewhere = { DATA_DIR: folder, HOOKWRIGHT_URL: 'http://127.0.0.1:1' };
    expect(await trigger(['booking.created'], elsewhere)).toMatchObject({
      code: 1,
      errors: 'hookwright: An API key is missing for http://127.0.0.1:1. Give it with --key or HOOKWRIGHT_API_KEY.\n',
    });
  });

  it('emits for one webhook at a path below its url, with the state before', async () => {
    const below = await stack.endpoint(answer(204), ['coupon.applied']);
    await stack.rows(`insert into hookwright.webhook_options (webhook_id, tenant_id, callback)
                      values (${below.webhookId}, ${stack.tenantId}, true)`);
    const file = join(temporaryFolder(), 'before.json');
    const previous = '{ "code": "BEFORE", "discount_type": "percent" }';
    writeFileSync(file, previous);
    const to = ['--to', `wh_${below.webhookId}`];
    const before = other.received.length;
    const { output, errors } = await trigger([
      ...['coupon.applied', ...to, '--path', '/actions/7f3?x=1', '--previous', file],
    ]);
    expect(errors).toBe('');
    expect(output).toMatch(/^coupon\.applied is ev_\d+, for 1 webhook\n/);
    expect(output).toContain(`✓  wh_${below.webhookId}`);
    expect(below.received.map(({ path }) => path)).toEqual([expect.stringMatching(/\/actions\/7f3\?x=1$/)]);
    expect(other.received).toHaveLength(before);
    const [, id] = /is ev_(\d+)/.exec(output)!;
    expect(await stack.rows(`select previous, targets from hookwright.events where id = ${id}`)).toEqual([
      { previous, targets: [String(below.webhookId)] },
    ]);
    expect((await trigger(['coupon.applied', ...to, '--previous', file])).errors).toMatch(/needs a path/);
    const emitted = await trigger(['coupon.applied', '--previous', file]);
    expect(emitted.output).toMatch(/^coupon\.applied is ev_\d+, for \d+ webhooks\n/);
    expect(emitted.output).toContain(`–  wh_${below.webhookId}`);
    await stack.rows(`update hookwright.webhooks set event_types = '{webhook.test}' where id = ${below.webhookId}`);
  });

  it.each([
    [['coupon.applied', '--path', '/a'], /^hookwright: --path needs --to: /],
    [['nothing.known'], /has no event type "nothing\.known"\. It has: .*booking\.created/],
    [['booking.created', '--set', 'brand.x=1'], /^hookwright: --set brand\.x: brand is ".*", and has no fields\.\n$/],
    [['booking.created', '--set', 'nonsense=1'], /^hookwright: payload\.nonsense is not a field of this event type/],
    [['booking.created', '--key', ''], /^hookwright: The API key of --key is empty\.\n$/],
    [['booking.created', '--key', 'hw_1_x'], /refuses the API key of --key\. The API key .* is malformed/],
    [['booking.created', '--url', 'http://127.0.0.1:2'], /^hookwright: Nothing listens at http:\/\/127\.0\.0\.1:2\. /],
    [['booking.created', '--to', 'wh_999'], /There is no webhook wh_999\./],
  ])('%j is refused with a sentence', async (args, sentence) => {
    const { code, errors } = await trigger(args);
    expect(code).toBe(1);
    expect(errors).toMatch(sentence);
  });

  it('asks for the tenant by the name of its option', async () => {
    const { key } = await makeKey(stack.services, null, ['platform:admin']);
    for (const args of [[], ['--to', `wh_${other.webhookId}`]]) {
      const { errors } = await trigger(['booking.created', '--key', key, ...args]);
      expect(errors).toBe('hookwright: With a platform key, name the tenant: --tenant <id>.\n');
    }
  });
});
