import type { Dedupe } from './dedupe/dedupe.js';
import { runOnce } from './dedupe/run-once.js';
import type { HeadersInput } from './headers.js';
import type { PublicKeys } from './jwks.js';
import type { Refusal } from './refusal.js';
import { SecretMalformedError, type Secrets } from './secrets.js';
import { type Delivery, readKeys, toleranceOf, type VerifyOptions, verifyBy } from './verify.js';

/** The default: without a map of types (`hookwright types pull`) a payload is what its handler takes it for. */
// biome-ignore lint/suspicious/noExplicitAny: a first receiver in TypeScript must compile without a cast
export type AnyEvents = Record<string, any>;

/**
 * A handler for each event, and `*` for all others. The second argument is the framework's: the request of Express,
 * the context of Hono, the environment of a Worker.
 */
export type Handlers<Events extends object, Context> = string extends keyof Events
  ? { readonly [event: string]: Handler<string, Events[keyof Events], Context> | undefined }
  : { readonly [Event in keyof Events & string]?: Handler<Event, Events[Event], Context> } & {
      readonly '*'?: Handler<string, unknown, Context>;
    };

/** The secrets or public keys that verify deliveries. */
type Keys = Secrets | PublicKeys | undefined;

type Handler<Event extends string, Payload, Context> = (
  delivery: Delivery<Event, Payload>,
  context: Context,
) => unknown;

export interface WebhookOptions<Events extends object, Context> extends Omit<VerifyOptions, 'now'> {
  /** The secret, several of them, the address of public keys, or a function that finds them for a request. */
  secret: Keys | ((context: Context) => Keys | Promise<Keys>);
  /** Events without a handler are taken (2xx) and ignored. */
  on: Handlers<Events, Context>;
  /** Runs a handler once for each delivery: `@hookwright/receiver/dedupe` has stores. */
  dedupe?: Dedupe | undefined;
  /** The longest body, in bytes. Default: 2 MiB, twice the longest payload of the service. */
  bodyBytesMax?: number | undefined;
  /** A handler or the store threw, or the receiver is set up wrongly. Default: `console.error`. */
  onError?: ((error: unknown) => void) | undefined;
  /** A request was refused. Default: a line by `console.warn`. */
  onRefused?: ((refusal: Refusal) => void) | undefined;
}

/** A request, as an adapter shows it. */
export interface Incoming<Context> {
  method: string | undefined;
  headers: HeadersInput;
  context: Context;
  /** Reads the body unless it is longer than this. */
  read(bytesMax: number): Promise<ReadBody> | ReadBody;
}

export type ReadBody = { bytes: Uint8Array | string } | { failure: 'PARSED' | 'TOO_LARGE' | 'CUT_OFF' };

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A webhook may have another method than the usual POST. */
const METHODS = 'POST, PUT, PATCH';

export const BODY_BYTES_MAX = 2 * 1024 * 1024;

/**
 * What all adapters do with a request. The answer comes after the handler's end.
 *
 * @param parsed the message of `BODY_PARSED`: which line of the framework gives the bytes
 * @throws SecretMalformedError for a `secret` that the service cannot have made, TypeError for `on` without functions
 */
export function createReceiver<Events extends object, Context>(
  options: WebhookOptions<Events, Context>,
  parsed: string,
): (incoming: Incoming<Context>) => Promise<Answer> {
  toleranceOf(options);
  requireHandlers(options.on);
  const { secret, onError = logError } = options;
  const known = typeof secret === 'function' ? null : readKeys(secret);
  const keysFor = async (context: Context) =>
    known ?? readKeys(typeof secret === 'function' ? await secret(context) : secret);
  return async (incoming) => {
    try {
      if (!METHODS.split(', ').includes(incoming.method ?? '')) {
        return answer(405, { reason: 'METHOD_NOT_ALLOWED', message: `Only ${METHODS}.` }, { allow: METHODS });
      }
      const keys = await keysFor(incoming.context);
      const body = await incoming.read(options.bodyBytesMax ?? BODY_BYTES_MAX);
      if ('failure' in body) {
        return unread(body.failure, parsed, options);
      }
      const verdict = await verifyBy(keys, body.bytes, incoming.headers, options);
      return verdict.ok ? await take(verdict, incoming.context, options) : refused(verdict, options);
    } catch (error) {
      onError(error);
      const reason = error instanceof SecretMalformedError ? error.code : 'HANDLER_FAILED';
      return answer(500, { reason, message: "It failed: the receiver's log has the error." });
    }
  };
}

type Options<Context> = Pick<WebhookOptions<AnyEvents, Context>, 'dedupe' | 'headerNames' | 'onError' | 'onRefused'> & {
  on: object;
};

async function take<Context>(delivery: Delivery, context: Context, options: Options<Context>): Promise<Answer> {
  if (delivery.event === '') {
    const message = 'It has no header with the event. If the service has a HEADER_PREFIX, set headerPrefix to it.';
    (options.onError ?? logError)(new Error(message));
    return answer(500, { reason: 'NO_EVENT', message });
  }
  const challenge = challengeIn(delivery);
  if (challenge !== null) {
    return answer(200, { challenge });
  }
  const handler = handlerOf<Context>(options.on, delivery.event);
  if (handler === undefined) {
    return answer(200, { result: 'ignored' });
  }
  const run = async () => handler(delivery, context);
  if (options.dedupe === undefined) {
    await run();
    return answer(200, { result: 'handled' });
  }
  const result = await runOnce(options.dedupe, delivery.deliveryId, run, options.onError ?? logError);
  return result === 'running'
    ? answer(409, { reason: 'RUNNING', message: 'Another copy of this delivery is in work.' })
    : answer(200, { result });
}

/**
 * The text that the service wants back: a proof that its deliveries are wanted here. No signature covers the name of an
 * event, so a payload with more than that text is no challenge.
 */
function challengeIn({ event, payload }: Delivery): string | null {
  if (event !== 'webhook.challenge' || typeof payload !== 'object' || payload === null) {
    return null;
  }
  const { challenge, ...more } = payload as { challenge?: unknown };
  return typeof challenge === 'string' && Object.keys(more).length === 0 ? challenge : null;
}

function requireHandlers(on: unknown): void {
  if (typeof on !== 'object' || on === null) {
    throw new TypeError('"on" must be an object with a handler for each event');
  }
  const wrong = Object.entries(on).find(([, handler]) => handler !== undefined && typeof handler !== 'function');
  if (wrong !== undefined) {
    throw new TypeError(`on["${wrong[0]}"] must be a function`);
  }
}

/** Its own property alone: an event named `constructor` has no handler. */
function handlerOf<Context>(on: object, event: string): Handler<string, unknown, Context> | undefined {
  const handlers = on as Record<string, Handler<string, unknown, Context> | undefined>;
  return (Object.hasOwn(handlers, event) ? handlers[event] : undefined) ?? handlers['*'];
}

function unread<Context>(
  failure: 'PARSED' | 'TOO_LARGE' | 'CUT_OFF',
  parsed: string,
  options: Options<Context>,
): Answer {
  if (failure === 'PARSED') {
    return refused({ ok: false, reason: 'BODY_PARSED', message: parsed, status: 500 }, options);
  }
  return failure === 'TOO_LARGE'
    ? answer(413, { reason: 'BODY_TOO_LARGE', message: 'The body is longer than bodyBytesMax.' })
    : answer(400, { reason: 'BODY_CUT_OFF', message: 'The request ended before its body did.' });
}

function refused<Context>(refusal: Refusal, { onRefused = logRefusal }: Options<Context>): Answer {
  onRefused(refusal);
  return answer(refusal.status, { reason: refusal.reason, message: refusal.message });
}

function answer(status: number, content: Record<string, string>, headers: Record<string, string> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(content) };
}

const logError = (error: unknown) => console.error('A delivery failed:', error);

const logRefusal = ({ reason, message }: Refusal) => console.warn(`A delivery was refused: ${reason}. ${message}`);
