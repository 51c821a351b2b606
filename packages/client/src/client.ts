import { type Accepted, issueOf, refusal } from './answers.js';
import { type EmitResult, HookwrightError } from './error.js';
import type { AnyEvents, EmitOptions, Emitted, EventName, NewEvent } from './events.js';
import { ask, type Connection } from './requests.js';
import { inParts, type WrittenEvent, writeEvent } from './written-event.js';

export interface ClientOptions {
  /** Where Hookwright is, such as `https://hooks.example.com`: without `/graphql`. */
  url: string;
  /** An API key with the scope `events:emit`. */
  key: string;
  /**
   * The tenant of the events, for a platform key: its number, `tn_…`, or `ext:` and its external id. An emit may name
   * another one.
   */
  tenant?: string | number | undefined;
  /** How long one request may take with all its repetitions. Default 60,000: a failover takes half a minute. */
  timeoutMs?: number | undefined;
  /** Default: the global one. */
  fetch?: typeof fetch | undefined;
}

export interface Client<Events extends object = AnyEvents> {
  /** Emits an event. It is committed when this resolves. @throws HookwrightError */
  emit<Event extends EventName<Events>>(event: Event, payload: Events[Event], options?: EmitOptions): Promise<Emitted>;
  /**
   * Emits events in requests of at most 100, one after the other. A refused event does not affect the others.
   *
   * @returns one result for each event, in order: all were accepted
   * @throws HookwrightError when one was not. Its `results` have each event's result or error
   */
  emitMany(events: readonly NewEvent<Events>[]): Promise<Emitted[]>;
}

const QUERY =
  'mutation Emit($input: EmitEventsInput!) { emitEvents(input: $input) { results { event { id } deliveryCount duplicate error { code detail issues { path code detail } } } } }';
const TIMEOUT_MS = 60_000;

/** Makes a client for producers. @throws TypeError when url or key cannot be right */
export function createClient<Events extends object = AnyEvents>(options: ClientOptions): Client<Events> {
  const { tenant } = options;
  const connection = connectionOf(options);
  return {
    async emit(event, payload, options = {}) {
      const [result] = await emitAll(connection, [writeEvent({ ...options, event, payload }, { tenant })]);
      if (result instanceof HookwrightError) {
        throw result;
      }
      return result!;
    },

    async emitMany(events) {
      const results = await emitAll(
        connection,
        events.map((event) => writeEvent(event, { tenant })),
      );
      if (results.some((result) => result instanceof HookwrightError)) {
        throw notAll(results);
      }
      return results as Emitted[];
    },
  };
}

function connectionOf({ url, key, timeoutMs = TIMEOUT_MS, fetch }: ClientOptions): Connection {
  if (!/^https?:\/\/[^/?#]/.test(url) || !URL.canParse(url)) {
    throw new TypeError(
      `createClient: url is ${JSON.stringify(url)}, and must be the address of Hookwright, such as "https://hooks.example.com".`,
    );
  }
  if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key)) {
    const why = key === undefined || key === '' ? 'is missing' : 'has characters that no key has';
    throw new TypeError(`createClient: key ${why}. The command "key create" of Hookwright makes one.`);
  }
  const globalFetch: typeof globalThis.fetch = (...args) => globalThis.fetch(...args);
  return { url: url.replace(/\/+$/, ''), key, timeoutMs, fetch: fetch ?? globalFetch };
}

/** Sends the events in requests one after the other. After one that failed as a whole, the rest are not sent. */
async function emitAll(
  connection: Connection,
  written: readonly (WrittenEvent | HookwrightError)[],
): Promise<EmitResult[]> {
  const results = new Map<WrittenEvent, EmitResult>();
  let failure: HookwrightError | undefined;
  for (const part of inParts(written.filter((event): event is WrittenEvent => !(event instanceof HookwrightError)))) {
    const answer = failure ?? (await ask(connection, bodyOf(part)));
    for (const [index, event] of part.entries()) {
      results.set(event, answer instanceof HookwrightError ? answer.of(event) : resultOf(event, index, answer));
    }
    if (answer instanceof HookwrightError) {
      failure = new HookwrightError(`an earlier request failed (${answer.message})`, { ...answer, code: 'not_sent' });
    }
  }
  return written.map((event) => (event instanceof HookwrightError ? event : results.get(event)!));
}

const bodyOf = (part: readonly WrittenEvent[]): string =>
  `{"query":${JSON.stringify(QUERY)},"variables":{"input":{"events":[${part.map(({ text }) => text).join()}]}}}`;

function resultOf(written: WrittenEvent, index: number, { results, requestId }: Accepted): EmitResult {
  const { event = null, deliveryCount = 0, duplicate = false, error = null } = results[index] ?? {};
  if (event !== null) {
    return { eventId: event.id, deliveryCount, duplicate };
  }
  // The path begins with input, events and the index.
  const issues = (error?.issues ?? []).map((issue) => issueOf(issue, (issue.path ?? []).slice(3)));
  return refusal(issues, error?.detail ?? 'no reason was given', requestId).of(written);
}

/** The error of several events for their caller. */
function notAll(results: readonly EmitResult[]): HookwrightError {
  const errors = [...results.entries()].filter(
    (entry): entry is [number, HookwrightError] => entry[1] instanceof HookwrightError,
  );
  const [index, { code, message, requestId, cause }] = errors[0]!;
  return new HookwrightError(
    `${errors.length} of ${results.length} events were not accepted. The first of them is events[${index}]: ${message}`,
    {
      ...{ code, requestId, cause, results },
      issues: errors.flatMap(([at, { issues }]) => issues.map((issue) => ({ ...issue, path: [at, ...issue.path] }))),
      retryable: errors.every(([, { retryable }]) => retryable),
    },
  );
}
