import { randomBytes } from 'node:crypto';
import type { DeliveryMethod } from '../../../domain/deliveries/delivery-method.js';
import { deliveryRequest } from '../../../domain/deliveries/delivery-request.js';
import { formatSecret, SECRET_BYTES, type SecretKeys, secretKeys } from '../../../domain/signing/secret.js';
import { USER_AGENT } from '../../../platform/node/version.js';
import type { Effects } from './effects.js';
import type { Answer, HttpProbe, Message } from './http-probe.js';

export type Scheme = 'standard' | 'contract';
type Verdict = 'passed' | 'failed' | 'warning' | 'skipped';
type Group = 'must be taken' | 'must be refused' | 'behaviour';

/** The result of a case. */
export interface Result {
  verdict: Verdict;
  /** The behaviour that was seen. */
  detail: string;
}

export interface Case {
  /** A name for scripts: it stays the same from version to version. */
  id: string;
  group: Group;
  name: string;
  /** The change that a receiver needs if it fails. */
  remedy: string;
  run(testRun: TestRun): Promise<Result>;
}

export const passed = (detail: string): Result => ({ verdict: 'passed', detail });
export const failed = (detail: string): Result => ({ verdict: 'failed', detail });
/** Where a good delivery is refused, a refusal of a bad one shows nothing. */
export const NOTHING_TAKEN: Result = { verdict: 'skipped', detail: 'a good delivery is not taken' };
export const skipped = (detail: string): Result => ({ verdict: 'skipped', detail });

interface TestRunOptions {
  probe: HttpProbe;
  secret: string;
  scheme: Scheme;
  method: DeliveryMethod;
  headerPrefix: string;
  eventType: string;
  /** JSON text. */
  payload: string;
  effects: Effects | undefined;
}

interface DeliveryOptions {
  id?: number;
  body?: string;
  eventType?: string;
  /** How old it is; negative: ahead of the clock. */
  ageSeconds?: number;
  /** Signed with the secret of another webhook. */
  byOther?: boolean;
  /** During the overlap of a rotation: the receiver has the new secret, or the old one. */
  overlap?: 'new' | 'old';
}

/** One run against one receiver: makes deliveries as the daemon does, each with an id of its own, and sends them. */
export class TestRun {
  readonly scheme: Scheme;
  readonly eventType: string;
  readonly payload: Record<string, unknown>;
  readonly effects: Effects | undefined;
  /** The longest that a delivery took which was taken. */
  slowestMs = 0;
  readonly #own: SecretKeys;
  readonly #other: SecretKeys = secretKeys(formatSecret(randomBytes(SECRET_BYTES)));
  readonly #options: TestRunOptions;
  #lastId = Date.now() * 1_000;

  constructor(options: TestRunOptions) {
    this.#options = options;
    this.#own = secretKeys(options.secret);
    this.scheme = options.scheme;
    this.eventType = options.eventType;
    this.payload = JSON.parse(options.payload) as Record<string, unknown>;
    this.effects = options.effects;
  }

  /** The name of the header with the signature that the receiver goes by. */
  get signatureHeader(): string {
    return this.scheme === 'standard' ? 'webhook-signature' : `${this.#options.headerPrefix}-Signature`;
  }

  newId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  delivery(options: DeliveryOptions = {}): Message {
    const { id = this.newId(), body = this.#options.payload, eventType = this.eventType, ageSeconds = 0 } = options;
    return deliveryRequest({
      deliveryId: id,
      eventType,
      body,
      keys: this.#keysOf(options),
      at: new Date(Date.now() - ageSeconds * 1_000),
      headerPrefix: this.#options.headerPrefix,
      standardWebhooks: true,
      userAgent: `${USER_AGENT} test-receiver`,
      method: this.#options.method,
    });
  }

  #keysOf({ byOther = false, overlap }: DeliveryOptions) {
    if (overlap === 'new') {
      return { current: this.#own, previous: this.#other };
    }
    return overlap === 'old'
      ? { current: this.#other, previous: this.#own }
      : { current: byOther ? this.#other : this.#own, previous: null };
  }

  async send(message: Message): Promise<Answer> {
    const answer = await this.#options.probe.send(message);
    if (isTaken(answer) && message.parts === undefined) {
      this.slowestMs = Math.max(this.slowestMs, answer.ms);
    }
    return answer;
  }

  /** Leaves out the headers of one scheme. */
  without(scheme: Scheme, { headers, ...message }: Message): Message {
    const { headerPrefix } = this.#options;
    const names = scheme === 'standard' ? /^webhook-/i : new RegExp(`^${headerPrefix}-(Signature|Timestamp)$`, 'i');
    return { ...message, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !names.test(name))) };
  }

  /** With another value of each header whose name matches. */
  altered({ headers, ...message }: Message, names: RegExp, value: (before: string) => string): Message {
    const changed = Object.entries(headers).map(([name, before]) => [name, names.test(name) ? value(before) : before]);
    return { ...message, headers: Object.fromEntries(changed) as Record<string, string> };
  }
}

export const isTaken = ({ status }: Answer): boolean => status >= 200 && status < 300;

/** With what the receiver says about it: often the reason. */
export const refusalOf = (answer: Answer): string =>
  answer.said === '' ? detailOf(answer) : `${detailOf(answer)}: ${answer.said}`;

export function detailOf({ status, ms, trouble, location }: Answer): string {
  if (trouble !== undefined) {
    return trouble === 'TIMEOUT' ? `no answer within ${Math.round(ms / 100) / 10} s` : `no answer: ${trouble}`;
  }
  return location === undefined ? `${status} in ${ms} ms` : `${status}, a redirect to ${location}`;
}
