import { expect } from 'vitest';
import { eventually } from './eventually.js';
import { deliveries, LiveApi, type LiveStream, webhooks } from './live-api.js';
import { postGraphql } from './served-api.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read by tests, each with a shape of its own
type Json = any;

/** On a machine that is busy elsewhere a step takes long, but it comes. */
export const WAIT_MAX_MS = 60_000;

/** Waits until what is expected is so. */
export async function comesTrue(expected: () => void | Promise<void>): Promise<void> {
  await eventually(async () => {
    await expected();
    return true;
  }, WAIT_MAX_MS);
}

/** Equal neighbours are one: a state may be told twice. */
const distinct = (values: readonly string[]) => values.filter((value, index) => value !== values[index - 1]);

/**
 * What a tenant's support person has before them: the API, asked over HTTP with the tenant's key, and two streams that
 * tell of every delivery and of every webhook from the beginning. A daemon is at work.
 */
export class SupportDesk implements AsyncDisposable {
  private constructor(
    private readonly api: LiveApi,
    /** Every update of a delivery or of a webhook, as it came. */
    readonly live: { deliveries: LiveStream; webhooks: LiveStream },
  ) {}

  /** @param settings environment variables, of the daemon and of the API: both need the same ENCRYPTION_KEYS */
  static async open(settings: Record<string, string> = {}): Promise<SupportDesk> {
    const api = await LiveApi.open({
      ALLOW_HTTP_URLS: 'true',
      ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
      ATTEMPT_TIMEOUT_MS: '120000',
      ...settings,
    });
    const live = {
      deliveries: await api.follow(deliveries),
      webhooks: await api.follow(webhooks),
    };
    api.stack.startDaemon();
    return new SupportDesk(api, live);
  }

  /** Past the API, for what no caller can do: let time pass. */
  get stack() {
    return this.api.stack;
  }

  /** Asks over HTTP. What the answer has must be without errors. */
  async ask(query: string, variables: object = {}): Promise<Json> {
    const { key, servers } = this.api;
    const origin = `http://127.0.0.1:${servers[0]!.port}`;
    const { data, ...rest } = await postGraphql(origin, key, { query, variables });
    expect(rest).toEqual({ status: 200, errors: [] });
    return data;
  }

  /** @param name of the mutation, whose input type follows from it */
  async mutate(name: string, input: object, selection: string): Promise<Json> {
    const type = `${name[0]!.toUpperCase()}${name.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { result: ${name}(input: $input) { ${selection} } }`;
    return (await this.ask(query, { input })).result;
  }

  async webhook(id: string): Promise<Json> {
    const query = `query ($id: ID!) { webhook(id: $id) {
      active disabledReason disabledAt holdUntil consecutiveFailures heldCount lastSuccessAt lastFailureAt
      backlog { due oldestDueAt scheduled held } endpointState { window inFlight waiting } } }`;
    return (await this.ask(query, { id })).webhook;
  }

  /** The deliveries that match, the oldest first. */
  async deliveries(filter: object): Promise<Json[]> {
    const query = `query ($filter: DeliveryFilter) { deliveries(filter: $filter, last: 100) { edges { node {
      id eventType status attemptCount lastStatusCode lastErrorCode nextAttemptAt finishedAt webhook { id } } } } }`;
    const { deliveries } = await this.ask(query, { filter });
    return deliveries.edges.map(({ node }: Json) => node).toReversed();
  }

  /** Changes with their authors, oldest first. */
  async auditLog(): Promise<Json[]> {
    const { auditLog } = await this.ask(
      '{ auditLog { edges { node { action actor apiKeyId targetType targetId after } } } }',
    );
    return auditLog.edges.map(({ node }: Json) => node).toReversed();
  }

  /** Waits until the stream has told this of each of these deliveries, as its latest word. */
  async hearsOfDeliveries(ids: readonly string[], state: object): Promise<void> {
    await comesTrue(() => {
      const told = ids.map((id) => this.#toldOf(id).at(-1));
      expect(told).toEqual(ids.map((id) => expect.objectContaining({ id, ...state })));
    });
  }

  /** Waits until the stream has told this of the webhook, as its latest word. */
  async hearsOfWebhook(id: string, state: object): Promise<void> {
    await comesTrue(() => {
      const told = this.live.webhooks.updates.findLast(({ webhookId }) => webhookId === id);
      expect(told?.webhook).toMatchObject(state);
    });
  }

  /** Where a delivery has stood, as the stream told it. Between two of these states it was PENDING, seen or not. */
  statesOf(id: string): string[] {
    return distinct(this.#toldOf(id).map(({ status }) => status)).filter((status) => status !== 'PENDING');
  }

  /** How a webhook has fared, as the stream told it. */
  spellsOf(id: string): string[] {
    const told = this.live.webhooks.updates.filter(({ webhookId }) => webhookId === id);
    return distinct(told.map(({ webhook }) => webhook.disabledReason ?? 'active'));
  }

  #toldOf(id: string): Json[] {
    return this.live.deliveries.updates.map(({ delivery }) => delivery).filter((delivery) => delivery?.id === id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.api[Symbol.asyncDispose]();
  }
}
