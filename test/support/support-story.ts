import { randomBytes } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { eventually } from './eventually.js';
import { gid, numberIn } from './ids.js';
import { receivedOf, signatureOf } from './operational-news.js';
import { type Answer, type Received, type Receiver, startReceiver } from './receiver.js';
import { SupportDesk, WAIT_MAX_MS } from './support-desk.js';

/** A webhook, as its owner made it, and what stands behind its url. */
interface Endpoint {
  id: string;
  secret: string;
  receiver: Receiver;
}

/** The delivery's id as GraphQL shows it. */
export const deliveryIdOf = ({ headers }: Received) => gid.delivery(String(headers['x-service-delivery']));
export const inOrder = (ids: readonly string[]) => ids.toSorted((a, b) => numberIn(a) - numberIn(b));
export const originOf = ({ receiver }: Endpoint) => new URL(receiver.url).origin;

/** A receiver checks what it got before it believes it: both signatures. @returns the payload */
export function verified({ body, headers }: Received, { secret }: Endpoint): Record<string, string> {
  expect(headers['x-service-signature']).toBe(signatureOf(secret, body));
  const payload = new StandardWebhook(secret).verify(body, headers as Record<string, string>);
  expect(body.toString()).toBe(JSON.stringify(payload));
  return payload as Record<string, string>;
}

/** A webhook that gets `coupon.applied` alone, its owner's other webhook, which is told of it, and the owner's desk. */
export class SupportStory implements AsyncDisposable {
  readonly startedAt = new Date(Date.now() - 60_000).toISOString();
  /** The ids of the deliveries that have failed for good. */
  readonly exhausted: string[] = [];
  /** The ids of the deliveries that wait for the webhook to be enabled. */
  readonly held: string[] = [];

  private constructor(
    readonly desk: SupportDesk,
    readonly failing: Endpoint,
    readonly watching: Endpoint,
  ) {}

  /** @param fails how the first endpoint answers until it is repaired */
  static async open(fails: Answer, settings: Record<string, string>): Promise<SupportStory> {
    const desk = await SupportDesk.open({
      ENCRYPTION_KEYS: `story:${randomBytes(32).toString('base64')}`,
      ...settings,
    });
    const failing = await createWebhook(desk, await startReceiver(fails), ['coupon.applied']);
    const watching = await createWebhook(desk, await startReceiver(), [
      'webhook.disabled',
      'webhook.recovered',
      'delivery.exhausted',
      'webhook.held_expiring',
    ]);
    return new SupportStory(desk, failing, watching);
  }

  /** Emits an event, which the one webhook wants. @returns it and its delivery, as they were right after the commit */
  async emit(code: string) {
    const input = { event: 'coupon.applied', payload: { code, discount_type: 'percent' } };
    const fields =
      'deliveryCount duplicate event { id body deliveries { edges { node { id status webhook { id } } } } }';
    const { event, ...emitted } = await this.desk.mutate('emitEvent', input, fields);
    expect(emitted).toEqual({ deliveryCount: 1, duplicate: false });
    const delivery = event.deliveries.edges[0].node;
    expect(delivery.webhook).toEqual({ id: this.failing.id });
    return { eventId: event.id as string, body: event.body as string, delivery };
  }

  /** Waits until the other webhook has been told of this type so often. @returns what it was told last */
  async news(type: string, times: number): Promise<Record<string, string>> {
    const told = () => receivedOf(this.watching.receiver, type);
    await eventually(() => told().length >= times, WAIT_MAX_MS);
    expect(told()).toHaveLength(times);
    return verified(told().at(-1)!, this.watching);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.desk[Symbol.asyncDispose]();
    await Promise.all([this.failing.receiver.close(), this.watching.receiver.close()]);
  }
}

async function createWebhook(desk: SupportDesk, receiver: Receiver, eventTypes: string[]): Promise<Endpoint> {
  const { url } = receiver;
  const created = await desk.mutate('createWebhook', { url, eventTypes }, 'secret webhook { id url active }');
  expect(created.webhook).toEqual({ id: expect.any(String), url, active: true });
  return { id: created.webhook.id, secret: created.secret, receiver };
}
