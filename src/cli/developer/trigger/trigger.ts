import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '../connection/ask.js';
import { type Connection, type ConnectionFlags, findConnection } from '../connection/connection.js';
import { patient } from '../connection/patient.js';
import { readPayload } from '../options/payload-file.js';
import { deliveryOf, fanOutOf, ifAllowed } from './fan-out.js';
import { type PayloadOptions, payloadText } from './payload.js';

interface TriggerOptions extends ConnectionFlags, PayloadOptions {
  count: number;
  rate: number;
  to?: string;
  path?: string;
  previous?: string;
  wait: number;
}

/** An event that was accepted. `id`: of the event, or with `--to` of its delivery. */
interface Sent {
  id: string;
  deliveries: number;
}

const EMIT = 'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { deliveryCount event { id } } }';
const TEST = 'mutation ($input: TestWebhookInput!) { testWebhook(input: $input) { delivery { id } } }';

const sayPause = (seconds: number) => {
  process.stderr.write(`The service asks for a pause of ${seconds} s …\n`);
};

/** Requests on the way at the same time: with more, a slow service would be asked ever more. */
const IN_FLIGHT_MAX = 20;

/** `hookwright trigger`: emits an event as a producer does, and prints which webhook got it or why not. */
export async function trigger(eventType: string, options: TriggerOptions): Promise<void> {
  if (options.path !== undefined && options.to === undefined) {
    throw new Error('--path needs --to: it is an address below the URL of one webhook.');
  }
  const connection = findConnection(options);
  const send = await sender(connection, eventType, options);
  const startedAt = performance.now();
  const sent = await paced(options.count, options.rate, () => patient(send, { onPause: sayPause }));
  const last = sent.at(-1)!;
  const took = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const deliveries = sent.reduce((sum, event) => sum + event.deliveries, 0);
  const head = sent.length === 1 ? eventType : `${eventType}: ${sent.length} events in ${took} s. The last one`;
  const webhooks = `${last.deliveries} webhook${last.deliveries === 1 ? '' : 's'}`;
  const lines = [
    `${head} is ${last.id}, for ${webhooks}${sent.length === 1 ? '' : ` (${deliveries} deliveries in all)`}`,
  ];
  const follow = isTest(options) ? deliveryOf : fanOutOf;
  lines.push(...(await ifAllowed(follow(connection, last.id, options.wait))).map((line) => `  ${line}`));
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** With a path, or what was before, the event is emitted for the webhook, as a producer does it. */
const isTest = ({ to, path, previous }: TriggerOptions): boolean =>
  to !== undefined && path === undefined && previous === undefined;

async function sender(
  connection: Connection,
  eventType: string,
  options: TriggerOptions,
): Promise<() => Promise<Sent>> {
  const { to, path, set = [], payload, previous } = options;
  // A test has the sample by itself, and of the service's own types nobody else writes the payload.
  const isPlainTest = isTest(options) && set.length === 0 && payload === undefined;
  const body = isPlainTest ? undefined : await payloadText(connection, eventType, options);
  if (!isTest(options)) {
    const previousBody = previous === undefined ? undefined : readPayload(previous).text;
    const targets = to === undefined ? undefined : [{ webhookId: to, path }];
    return async () => {
      const input = { event: eventType, body, previousBody, to: targets, idempotencyKey: randomUUID() };
      const { emitEvent } = await ask<{ emitEvent: { deliveryCount: number; event: { id: string } } }>(
        connection,
        EMIT,
        { input },
      );
      return { id: emitEvent.event.id, deliveries: emitEvent.deliveryCount };
    };
  }
  const input = { id: to, eventType, ...(body === undefined ? {} : { payload: JSON.parse(body) as unknown }) };
  return async () => {
    const { testWebhook } = await ask<{ testWebhook: { delivery: { id: string } } }>(connection, TEST, { input });
    return { id: testWebhook.delivery.id, deliveries: 1 };
  };
}

/** @throws the first error, with the number of those that were accepted before */
async function paced(count: number, rate: number, send: () => Promise<Sent>): Promise<Sent[]> {
  const sent: Sent[] = [];
  let failure: Error | undefined;
  let next = 0;
  const startedAt = performance.now();
  const sendNext = async () => {
    while (next < count && failure === undefined) {
      const dueAt = startedAt + (next++ * 1_000) / rate;
      await delay(Math.max(0, dueAt - performance.now()));
      try {
        sent.push(await send());
      } catch (error) {
        failure ??= error as Error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, IN_FLIGHT_MAX) }, sendNext));
  if (failure !== undefined) {
    const before = sent.length === 0 ? '' : `${sent.length} events were accepted; then: `;
    throw new Error(`${before}${failure.message}`);
  }
  return sent;
}
