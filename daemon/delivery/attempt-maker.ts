import type { Logger } from 'pino';
import { isUnanswered, judge, NOT_SENT } from '../../src/domain/deliveries/outcome.js';
import { withoutSecrets } from '../../src/domain/deliveries/redact.js';
import { retryInMsOf } from '../../src/domain/deliveries/retry-policy.js';
import { kindOf } from '../../src/domain/pacing/endpoint-window.js';
import type { FinishedAttempt } from '../../src/operations/attempts/finished-attempt.js';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import type { SecretVault } from '../../src/operations/secrets/secret-vault.js';
import type { HasPool } from '../../src/platform/database/database.js';
import type { Config } from '../../src/platform/settings/config.js';
import type { Tracing } from '../../src/platform/telemetry/tracing.js';
import type { Permit } from '../gate/entry.js';
import type { Delay } from '../gate/not-now.js';
import { type Fence, SendingStopped } from '../liveness/fence.js';
import type { Sender } from '../sending/send.js';
import { traceAttempt } from '../telemetry/trace-attempt.js';
import { ContentsOfDeliveries } from './contents.js';
import { addKeySignature, KeySigner } from './key-signer.js';
import { type DeliveryOptions, OptionsOfWebhooks } from './options.js';
import { OwnFaults } from './own-faults.js';
import { Signer } from './signer.js';

export interface AttemptDeps {
  db: HasPool;
  config: Config;
  vault: SecretVault;
  sender: Sender;
  fence: Fence;
  clock: () => Date;
  log: Logger;
  tracing?: Tracing | null;
}

/** Makes attempts: sign, send, judge, plan the next one. */
export class AttemptMaker {
  readonly #signer: Signer;
  readonly #options: OptionsOfWebhooks;
  readonly #contents: ContentsOfDeliveries;
  readonly #ownFaults: OwnFaults;
  readonly #keys: KeySigner;

  constructor(private readonly deps: AttemptDeps) {
    this.#signer = new Signer(deps.vault, deps.config.delivery);
    this.#options = new OptionsOfWebhooks(deps.db.pool, deps.vault, deps.config);
    this.#contents = new ContentsOfDeliveries(deps);
    this.#ownFaults = new OwnFaults(deps.log);
    this.#keys = new KeySigner(deps.db.pool, deps.vault);
  }

  /** How long contents of deliveries have kept this thread from all else. */
  get contentSeconds(): number {
    return this.#contents.seconds;
  }

  /** How the delivery's endpoint is called; null: that has to be read first. */
  optionsAtHand(delivery: DueDelivery): DeliveryOptions | null {
    return this.#options.atHand(delivery);
  }

  /** @returns a delay when they cannot be opened, or the webhook has changed meanwhile */
  async readOptions(delivery: DueDelivery): Promise<DeliveryOptions | Delay> {
    try {
      return await this.#options.read(delivery);
    } catch (error) {
      return await this.#ownFaults.notNow(error, delivery);
    }
  }

  /**
   * @param permit given back as soon as the receiver has answered
   * @returns a delay when a fault of our own kept the request from being sent
   */
  async make(delivery: DueDelivery, options: DeliveryOptions, permit: Permit): Promise<FinishedAttempt | Delay> {
    const { clock, fence, sender, tracing } = this.deps;
    const { timeoutMs, retryDelaysSeconds } = options;
    const isLast = delivery.isCheck || delivery.isProbe;
    const trace = traceAttempt(tracing, delivery, options.method);
    try {
      const keys = this.#signer.keysAtHand(delivery) ?? (await this.#signer.openKeys(delivery));
      const keyPair = options.isSignedByKey ? await this.#keys.keyOf(delivery.tenantId) : null;
      const { making } = permit;
      const content = making === null ? undefined : await this.#contents.of(delivery, making);
      // Reading the tenant's key and the content from the database is not part of the attempt.
      const [startedAt, startedAtMs] = [clock(), performance.now()];
      if (content === null) {
        permit.giveBack();
        trace?.notMade();
        return { delivery, startedAt, startedAtMs, endedAtMs: startedAtMs, ...NOT_SENT };
      }
      const request = this.#signer.sign(delivery, options, keys, startedAt, content);
      if (keyPair !== null) {
        await addKeySignature(request, keyPair);
      }
      Object.assign(request.headers, trace?.headers);
      if (fence.closed) {
        throw new SendingStopped('The request was not sent, because its outcome could not have been recorded.');
      }
      const result = await sender.send(delivery.url, request, delivery.tenantId, timeoutMs);
      const endedAtMs = performance.now();
      const outcome = judge(result, clock(), options.format);
      const answer = { outcome, kind: kindOf(outcome, result), isUnanswered: isUnanswered(result) };
      const isSameClosing = permit.giveBack(answer);
      trace?.ended(outcome, result);
      return {
        delivery,
        startedAt,
        startedAtMs,
        isSameClosing,
        endedAtMs,
        method: options.method,
        requestHeaders:
          options.shownHeaders === null ? request.headers : { ...request.headers, ...options.shownHeaders },
        result: withoutSecrets(result, options.secrets),
        outcome,
        retryInMs: isLast ? null : retryInMsOf(retryDelaysSeconds, delivery.failuresBefore + 1, outcome),
      };
    } catch (error) {
      trace?.notMade();
      // The permit is kept meanwhile, so that no more wait here than the endpoint's window has.
      return await this.#ownFaults.notNow(error, delivery).finally(() => permit.giveBack());
    }
  }
}
