import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Services } from '../../src/api/context/context.js';
import { buildServer } from '../../src/api/server.js';
import { SCOPES } from '../../src/domain/keys/scopes.js';
import { API_ROLE } from '../../src/platform/database/tenant-database.js';
import { DeliveryStack } from './delivery-stack.js';
import { eventually } from './eventually.js';
import { makeKey, openTestServices } from './factories.js';
import { serve } from './loopback.js';
import { watchPlaintext } from './plaintext.js';

interface StreamEvent {
  event: string;
  id: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON the event has
  data: any;
}

export type StreamTimes = Partial<Services['config']['streams']>;

/** A subscription as a client of fetch or curl has it: the events as they come, byte by byte, over a real socket. */
export class LiveStream {
  readonly events: StreamEvent[] = [];
  /** The newest id of any event or heartbeat. */
  lastId: string | null = null;
  heartbeats = 0;
  hasEnded = false;
  #rest = '';

  private constructor(readonly response: IncomingMessage) {
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#read(text));
    response.on('close', () => {
      this.hasEnded = true;
    });
    response.on('error', () => {});
  }

  static open(port: number, body: object, headers: Record<string, string>): Promise<LiveStream> {
    return new Promise((resolve, reject) => {
      const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', path: '/graphql/stream', headers });
      request.on('error', reject);
      request.on('response', (response) => resolve(new LiveStream(response)));
      request.end(JSON.stringify(body));
    });
  }

  get status(): number {
    return this.response.statusCode ?? 0;
  }

  get isComplete(): boolean {
    return this.events.at(-1)?.event === 'complete';
  }

  /** The updates of one field, without errors and markers. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON the updates have
  get updates(): any[] {
    return this.events
      .filter(({ event, data }) => event === 'next' && data?.data)
      .map(({ data }) => Object.values(data.data)[0]);
  }

  get errors(): { message: string; extensions: { code: string } }[] {
    return this.events.flatMap(({ data }) => data?.errors ?? []);
  }

  /** Waits until it has begun: what changes from now on will come. */
  async begun(): Promise<this> {
    await eventually(() => this.lastId !== null || this.hasEnded, 30_000);
    return this;
  }

  /** The answer, when it is not a stream. */
  async body(): Promise<{ errors: { message: string; extensions: Record<string, unknown> }[] }> {
    await eventually(() => this.hasEnded, 30_000);
    return JSON.parse(this.#rest);
  }

  cut(): void {
    this.response.destroy();
  }

  #read(text: string): void {
    watchPlaintext('a stream', text);
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const {
        id = null,
        event,
        data = '',
      } = Object.fromEntries([...block.matchAll(/^(\w*): ?(.*)$/gm)].map(([, name, value]) => [name, value])) as Record<
        string,
        string | undefined
      >;
      this.lastId = id ?? this.lastId;
      if (event === undefined) {
        this.heartbeats += 1;
      } else {
        this.events.push({ event, id, data: data === '' ? null : JSON.parse(data) });
      }
    }
  }
}

/** A daemon's world, and API processes over the same database that listen on real ports. */
export class LiveApi implements AsyncDisposable {
  readonly servers: { server: FastifyInstance; services: Services; port: number }[] = [];
  readonly #streams: LiveStream[] = [];

  private constructor(
    readonly stack: DeliveryStack,
    readonly settings: Record<string, string>,
    readonly key: string,
    /** Replaces the default services. */
    readonly services: Partial<Services>,
  ) {}

  static async open(
    settings: Record<string, string> = {},
    times: StreamTimes = {},
    own: Partial<Services> = {},
  ): Promise<LiveApi> {
    const stack = await DeliveryStack.open(settings);
    const { key } = await makeKey(stack.services, stack.tenantId, SCOPES);
    const api = new LiveApi(stack, settings, key, own);
    await api.addServer(times);
    return api;
  }

  /** Another API process, as far as anybody can tell: with pools, caches and a feed of its own. */
  async addServer(times: StreamTimes = {}, databaseUrl = this.stack.databaseUrl): Promise<number> {
    const services = await openTestServices(databaseUrl, { settings: this.settings, role: API_ROLE });
    const config = { ...services.config, streams: { ...services.config.streams, ...times } };
    const server = await buildServer({ ...services, ...this.services, config });
    return this.servers.push({ server, services, port: await serve(server) }) - 1;
  }

  /** Ends the newest server. */
  async removeServer(): Promise<void> {
    const newest = this.servers.pop();
    await newest?.server.close();
    await newest?.services.db.close();
  }

  /** @param at the number of the server */
  async subscribe(
    query: string,
    variables: object = {},
    { key = this.key, at = 0, headers = {} }: { key?: string | null; at?: number; headers?: object } = {},
  ): Promise<LiveStream> {
    return this.send({ query, variables }, { key, at, headers });
  }

  /** Sends a body as it is, such as a list of subscriptions. */
  async send(
    body: object,
    { key = this.key, at = 0, headers = {} }: { key?: string | null; at?: number; headers?: object } = {},
  ): Promise<LiveStream> {
    const stream = await LiveStream.open(this.servers[at]!.port, body, {
      'content-type': 'application/json',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    });
    this.#streams.push(stream);
    return stream;
  }

  /** A stream that has begun. */
  async follow(...subscription: Parameters<LiveApi['subscribe']>): Promise<LiveStream> {
    return (await this.subscribe(...subscription)).begun();
  }

  cutStreams(): void {
    for (const stream of this.#streams.splice(0)) {
      stream.cut();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cutStreams();
    while (this.servers.length > 0) {
      await this.removeServer();
    }
    await this.stack[Symbol.asyncDispose]();
  }
}

export const deliveries = `subscription ($webhookId: ID, $eventType: String, $status: DeliveryStatus, $after: String) {
  deliveryUpdated(webhookId: $webhookId, eventType: $eventType, status: $status, after: $after) {
    cursor resync delivery { id status attemptCount eventType attempts { number } }
  }
}`;
export const webhooks = `subscription ($id: ID, $after: String) {
  webhookUpdated(id: $id, after: $after) { cursor resync webhookId webhook { id active url disabledReason consecutiveFailures } }
}`;
