import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDataDir } from '../src/platform/embedded-postgres/cluster.js';
import { DemoService, until } from './demo-service.js';

/**
 * `npm run demo`: a webhook's whole life in a minute. It starts a Hookwright of its own in a temporary folder. On a
 * terminal it then stays until Ctrl-C, for a look at the console. It removes everything at its end.
 */

interface Webhook {
  id: number;
  active: boolean;
  consecutive_failures: number;
  disabled_at: string | null;
  secret: string;
}

const say = (text = '') => process.stdout.write(`${text}\n`);
const title = (text: string) => say(`\n── ${text} ${'─'.repeat(Math.max(0, 76 - text.length))}`);

/** A subscriber: verifies every request as the contract asks of receivers, and answers with the status that is set. */
class Subscriber {
  secret = '';
  healthy = true;
  received = 0;
  readonly #server = createServer((request, response) => {
    void this.#read(request).then((body) => {
      this.received += 1;
      const isVerified = this.#verified(request, body);
      const status = !isVerified ? 400 : this.healthy ? 200 : 500;
      this.#show(request, isVerified, status);
      response.writeHead(status).end();
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hooks`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #read(request: IncomingMessage): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    return Buffer.concat(chunks);
  }

  /** Contract part 4: over the raw bytes, in constant time, within the replay window of 300 seconds. */
  #verified(request: IncomingMessage, body: Buffer): boolean {
    const expected = Buffer.from(`sha256=${createHmac('sha256', this.secret).update(body).digest('hex')}`);
    const given = Buffer.from(String(request.headers['x-service-signature']));
    const ageSeconds = Math.abs(Date.now() / 1000 - Number(request.headers['x-service-timestamp']));
    return given.length === expected.length && timingSafeEqual(given, expected) && ageSeconds <= 300;
  }

  #show(request: IncomingMessage, isVerified: boolean, status: number): void {
    const event = String(request.headers['x-service-event']).padEnd(16);
    const delivery = request.headers['x-service-delivery'];
    const signature = isVerified ? 'signature ok ' : 'SIGNATURE BAD';
    say(`  ${new Date().toISOString().slice(11, 23)}  ${event} delivery ${delivery}  ${signature}  answered ${status}`);
  }
}

async function tour(service: DemoService, subscriber: Subscriber): Promise<void> {
  title('A receiver subscribes to all events');
  const url = await subscriber.listen();
  const webhook = await service.rest<Webhook>('POST', '/webhooks', { url, events: ['*'] });
  subscriber.secret = webhook.secret;
  say(`  POST /api/v1/webhooks {"url": "${url}", "events": ["*"]}`);
  say(`  webhook ${webhook.id}, secret ${webhook.secret.slice(0, 10)}… (shown this once)`);

  title('One event of each type');
  await service.emit('booking.created', { booking_code: 'BK-1', local_number: '0815', brand: 'Acme' });
  await service.emit('booking.canceled', { booking_code: 'BK-1', canceled_at: '2026-01-31T09:30:00+00:00' });
  await service.emit('voucher.emitted', { booking_code: 'BK-1', voucher_number: 'V-7' });
  await service.emit('coupon.applied', { code: 'SUMMER/25', discount_type: 'fünfzig %' });
  await service.rest('POST', `/webhooks/${webhook.id}/test`);
  await until('five deliveries', () => subscriber.received === 5);

  title('The receiver breaks: two deliveries are retried until the webhook is disabled');
  say('  (here ten retries come after 0.2, 0.4, 0.8 … seconds; by default five, after 2, 4, 8 … minutes)');
  subscriber.healthy = false;
  await service.emit('booking.created', { booking_code: 'BK-2', local_number: '0816', brand: 'Acme' });
  await service.emit('booking.created', { booking_code: 'BK-3', local_number: '0817', brand: 'Acme' });
  await until('the webhook to be disabled', async () => !(await get(service, webhook.id)).active);
  const disabled = await get(service, webhook.id);
  say(
    `  GET /api/v1/webhooks/${webhook.id}: active ${disabled.active}, consecutive_failures ` +
      `${disabled.consecutive_failures}, disabled_at ${disabled.disabled_at}`,
  );

  title('Events for a disabled webhook are held, not dropped');
  await service.emit('coupon.applied', { code: 'WINTER', discount_type: 'percent' });
  await until('all three to be held', async () => (await held(service, webhook.id)) === 3);
  say(`  { webhook(id: ${webhook.id}) { heldCount } }  →  3`);

  title('The receiver is repaired and the webhook enabled: what was held arrives');
  subscriber.healthy = true;
  const before = subscriber.received;
  await service.rest('PATCH', `/webhooks/${webhook.id}`, { active: true });
  say(`  PATCH /api/v1/webhooks/${webhook.id} {"active": true}`);
  await until('the held deliveries', () => subscriber.received - before === 3);
  await until('the success to be recorded', async () => (await get(service, webhook.id)).consecutive_failures === 0);
  const repaired = await get(service, webhook.id);
  say(`  active ${repaired.active}, consecutive_failures ${repaired.consecutive_failures}`);
}

const get = (service: DemoService, id: number) => service.rest<Webhook>('GET', `/webhooks/${id}`);

async function held(service: DemoService, id: number): Promise<number> {
  const query = 'query ($id: ID!) { webhook(id: $id) { heldCount } }';
  const { webhook } = await service.graphql<{ webhook: { heldCount: number } }>(query, { id });
  return webhook.heldCount;
}

const dataDir = await mkdtemp(join(tmpdir(), 'hookwright-demo-'));
const service = new DemoService(dataDir);
const subscriber = new Subscriber();
const stopped = Promise.withResolvers<void>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => stopped.resolve());
}
process.stdout.on('error', () => stopped.resolve()); // its reader is gone, as in `npm run demo | head`
let exitCode = 130;
try {
  await Promise.race([show().then(() => (exitCode = 0)), stopped.promise]);
  if (exitCode === 0 && process.stdin.isTTY && process.stdout.isTTY) {
    say('  The demo runs until you press Ctrl-C.');
    await stopped.promise;
  } else if (exitCode === 0) {
    say('  The demo ends here, because it does not run on a terminal.');
  }
} catch (error) {
  say(`\nThe demo failed: ${error instanceof Error ? error.message : error}`);
  exitCode = 1;
} finally {
  subscriber.close();
  await service.stop();
  removeDataDir(dataDir);
}
say(`\n${exitCode === 130 ? 'Stopped' : 'Ended'}; everything is taken away again.`);
say('Yours starts with: npm start');
process.exit(exitCode);

async function show(): Promise<void> {
  say('Starting Hookwright with a Postgres of its own …');
  await service.ready();
  say(`It is ready at ${service.address}`);
  await tour(service, subscriber);
  title('All of this in the console');
  say(`  ${service.consoleUrl}`);
  say('  (signs in once, within ten minutes, while the demo runs)');
}
