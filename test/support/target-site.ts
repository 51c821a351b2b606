import { createServer } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { Daemon } from '../../daemon/daemon.js';
import { createNameResolver } from '../../daemon/sending/name-resolver.js';
import { buildServer } from '../../src/api/server.js';
import { SCOPES } from '../../src/domain/keys/scopes.js';
import { DeliveryStack } from './delivery-stack.js';
import { eventually } from './eventually.js';
import { makeKey } from './factories.js';
import { type FakeDns, startFakeDns } from './fake-dns.js';
import { numberIn } from './ids.js';
import { openServer } from './loopback.js';

/** A server on loopback that nobody may reach: it answers like a good one, and counts every connection. */
interface Canary extends AsyncDisposable {
  port: number;
  connections: number;
}

/** On 127.0.0.1 and, where there is IPv6, on ::1, at the same port. */
export async function startCanary(): Promise<Canary> {
  const server = () =>
    createServer((_, response) => response.end('canary')).on('connection', () => {
      canary.connections += 1;
    });
  const ipv4 = await openServer(server());
  const ipv6 = await openServer(server(), ipv4.port, '::1').catch(() => null);
  const canary: Canary = {
    port: ipv4.port,
    connections: 0,
    async [Symbol.asyncDispose]() {
      await Promise.all([ipv4.close(), ipv6?.close()]);
    },
  };
  return canary;
}

/** The tenant's view of a finished delivery. */
interface Reading {
  status: string;
  lastErrorCode: string | null;
  attempts: { errorCode: string | null; statusCode: number | null; responseHeaders: Record<string, string> | null }[];
  /** Everything in it but the url, which is the tenant's own text. */
  text: string;
}

const READ = `query ($id: ID!, $after: String) { event(id: $id) { deliveries(first: 40, after: $after) {
  pageInfo { hasNextPage endCursor } edges { node {
  id status attemptCount cancelReason createdAt eventType finishedAt lastErrorCode lastStatusCode nextAttemptAt
  webhook { id active consecutiveFailures disabledReason lastFailureAt lastSuccessAt }
  attempts { number durationMs errorCode requestHeaders responseBody responseBodyBase64 responseHeaders
             responseTruncated startedAt statusCode } } } } } }`;

/**
 * The whole service with its interfaces, its daemon and a DNS server of its own. http is allowed, and of all addresses
 * that are not public 127.0.0.2 alone: receivers live there. The canary is on 127.0.0.1 and ::1.
 */
export class TargetSite implements AsyncDisposable {
  /** The daemon's log. */
  readonly log: string[] = [];

  private constructor(
    readonly stack: DeliveryStack,
    readonly dns: FakeDns,
    readonly canary: Canary,
    private readonly server: FastifyInstance,
    private readonly key: string,
    private readonly daemons: Daemon[] = [],
  ) {}

  static async open(settings: Record<string, string> = {}): Promise<TargetSite> {
    const stack = await DeliveryStack.open({
      ALLOW_PRIVATE_TARGETS: '127.0.0.2/32',
      MAX_RETRIES: '0',
      CONNECT_TIMEOUT_MS: '5000',
      ...settings,
    });
    const { key } = await makeKey(stack.services, stack.tenantId, SCOPES);
    const server = await buildServer(stack.services);
    return new TargetSite(stack, await startFakeDns(), await startCanary(), server, key);
  }

  /** The real one; its names come from the DNS server here. */
  startDaemon(): Daemon {
    const log = pino({ level: 'trace' }, { write: (line: string) => this.log.push(line) });
    const lookup = createNameResolver({ servers: [this.dns.server] });
    const daemon = new Daemon({ ...this.stack.services, log, lookup });
    this.daemons.push(daemon);
    return daemon;
  }

  /** POST /webhooks with this url. */
  async storeByRest(url: string): Promise<{ status: number; text: string }> {
    const { statusCode, payload } = await this.#post('/api/v1/webhooks', { url, events: ['*'] });
    return { status: statusCode, text: payload };
  }

  /** The mutation createWebhook with this url; the codes of its issues. */
  async storeByGraphql(url: string): Promise<{ stored: boolean; text: string }> {
    const query = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }`;
    const { payload } = await this.#post('/graphql', { query, variables: { input: { url, eventTypes: ['*'] } } });
    return { stored: JSON.parse(payload).data?.createWebhook != null, text: payload };
  }

  /**
   * Emits one event, and waits until each delivery of it has ended, and of what webhooks are told of its failures.
   *
   * @returns what the tenant reads, by webhook
   */
  async deliver(): Promise<Map<number, Reading>> {
    const eventId = await this.stack.emit();
    const open = `status = 'PENDING' or status = 'HELD' and event_id = ${eventId}`;
    await eventually(async () => (await this.stack.deliveries(open)).length === 0, 60_000);
    const readings = new Map<number, Reading>();
    let after: string | null = null;
    do {
      const variables = { id: String(eventId), after };
      const { payload } = await this.#post('/graphql', { query: READ, variables });
      const { data, errors } = JSON.parse(payload);
      if (errors !== undefined) {
        throw new Error(payload);
      }
      const { edges, pageInfo } = data.event.deliveries;
      for (const { node } of edges) {
        readings.set(numberIn(node.webhook.id), { ...node, text: JSON.stringify(node) });
      }
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after !== null);
    return readings;
  }

  #post(url: string, body: object) {
    return this.server.inject({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.daemons.map((daemon) => daemon.stop()));
    await this.server.close();
    await this.stack[Symbol.asyncDispose]();
    await this.dns.close();
    await this.canary[Symbol.asyncDispose]();
  }
}

/** The IP addresses in a text, with and without a port. */
export function addressesIn(text: string): string[] {
  return text
    .split(/[\s"'\\,;/()[\]{}<>=|]+/)
    .flatMap((word) => [word, word.replace(/:\d+$/, ''), word.replace(/[.:]+$/, '')])
    .filter((word) => isIP(word) !== 0);
}

/** A reading without what differs between any two deliveries: ids, times and what is made of them. */
export function withoutIdentity({ text }: Reading): unknown {
  const dropped = /^(id|createdAt|finishedAt|startedAt|durationMs|lastFailureAt|requestHeaders)$/;
  return JSON.parse(text, (name, value) => (dropped.test(name) ? undefined : value));
}
