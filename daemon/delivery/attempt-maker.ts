import type { Logger } from 'pino';
import type { DeliveryRequest } from '../../src/domain/deliveries/delivery-request.js';
import { isUnanswered, judge, NOT_SENT, type Outcome } from '../../src/domain/deliveries/outcome.js';
import { withoutSecrets } from '../../src/domain/deliveries/redact.js';
import { retryInMsOf } from '../../src/domain/deliveries/retry-policy.js';
import { kindOf } from '../../src/domain/pacing/endpoint-window.js';
import type { FinishedAttempt } from '../../src/operations/attempts/finished-attempt.js';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import type { SecretVault } from '../../src/operations/secrets/secret-vault.js';
import type { Database, HasPool } from '../../src/platform/database/database.js';
import type { Config } from '../../src/platform/settings/config.js';
import type { Tracing } from '../../src/platform/telemetry/tracing.js';
import type { Permit } from '../gate/entry.js';
import { type Delay, isNotNow } from '../gate/not-now.js';
import type { Fence } from '../liveness/fence.js';
import type { Sender } from '../sending/send.js';
import { traceAttempt } from '../telemetry/trace-attempt.js';
import { AccessTokens } from './access-tokens.js';
import { Authorized } from './authorized.js';
import { Challenges } from './challenges.js';
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

/** Null: this attempt was the last one. */
const retryInMs = ({ isCheck, isProbe, failuresBefore }: DueDelivery, options: DeliveryOptions, outcome: Outcome) =>
  isCheck || isProbe ? null : retryInMsOf(options.retryDelaysSeconds, failuresBefore + 1, outcome);

const shown = ({ headers }: DeliveryRequest, { shownHeaders }: DeliveryOptions) =>
  shownHeaders === null ? headers : { ...headers, ...shownHeaders };

/** Makes attempts: sign, send, judge, plan the next one. */
export class AttemptMaker {
  readonly #signer: Signer;
  readonly #options: OptionsOfWebhooks;
  readonly #contents: ContentsOfDeliveries;
  readonly #ownFaults: OwnFaults;
  readonly #keys: KeySigner;
  readonly #authorized: Authorized;

  constructor(private readonly deps: AttemptDeps) {
    this.#signer = new Signer(deps.vault, deps.config.delivery);
    this.#options = new OptionsOfWebhooks(deps.db.pool, deps.vault, deps.config);
    this.#contents = new ContentsOfDeliveries(deps);
    this.#ownFaults = new OwnFaults(deps.log);
    this.#keys = new KeySigner(deps.db.pool, deps.vault);
    this.#authorized = new Authorized(new AccessTokens(deps.db.pool, deps.vault, deps.sender), deps.fence);
  }

  /** How long contents of deliveries have kept this thread from all else. */
  get contentSeconds(): number {
    return this.#contents.seconds;
  }

  /** Asks endpoints whether they want deliveries, as it calls them. */
  challenges(db: Database, random: (bytes: number) => Buffer): Challenges {
    const [signer, options, keys, ownFaults] = [this.#signer, this.#options, this.#keys, this.#ownFaults];
    return new Challenges({ ...this.deps, db, random, signer, options, keys, ownFaults, authorized: this.#authorized });
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
   * @param isStillDue whether nothing has changed since the delivery was loaded; asked after a long wait
   * @returns a delay when a fault of our own kept the request from being sent
   */
  async make(
    delivery: DueDelivery,
    options: DeliveryOptions,
    permit: Permit,
    isStillDue: () => Promise<boolean>,
  ): Promise<FinishedAttempt | Delay> {
    const { clock, fence, sender, tracing } = this.deps;
    const { oauth2, timeoutMs } = options;
    const trace = traceAttempt(tracing, delivery, options.method);
    const notMade = () => {
      permit.giveBack();
      trace?.notMade();
    };
    try {
      const keys = this.#signer.keysAtHand(delivery) ?? (await this.#signer.openKeys(delivery));
      const keyPair = options.isSignedByKey ? await this.#keys.keyOf(delivery.tenantId) : null;
      const content = permit.making === null ? undefined : await this.#contents.of(delivery, permit.making);
      // Reading the tenant's key and the content from the database is not part of the attempt.
      let [startedAt, startedAtMs] = [clock(), performance.now()];
      if (content === null) {
        notMade();
        return { delivery, startedAt, startedAtMs, endedAtMs: startedAtMs, ...NOT_SENT };
      }
      const token = oauth2 === null ? null : await this.#authorized.tokenFor(delivery, oauth2, isStillDue);
      if (token !== null && isNotNow(token)) {
        notMade();
        return token;
      }
      if (token !== null && 'text' in token) {
        [startedAt, startedAtMs] = [clock(), performance.now()]; // waiting for a token is no part of it either
      }
      const request = this.#signer.sign(delivery, options, keys, startedAt, content);
      request.path = delivery.path;
      if (keyPair !== null) {
        await addKeySignature(request, keyPair);
      }
      Object.assign(request.headers, trace?.headers);
      fence.requireOpen();
      const send = (leftMs?: number) =>
        sender.send(delivery.url, request, delivery.tenantId, timeoutMs, options.tls, leftMs);
      const sent =
        token === null
          ? { result: await send(), secrets: options.secrets }
          : await this.#authorized.send(token, { named: delivery, options, request, startedAtMs, timeoutMs }, send);
      if (isNotNow(sent)) {
        notMade();
        return sent;
      }
      const { result, secrets } = sent;
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
        requestHeaders: token !== null && 'failure' in token ? {} : shown(request, options),
        result: withoutSecrets(result, secrets),
        outcome,
        retryInMs: retryInMs(delivery, options, outcome),
      };
    } catch (error) {
      trace?.notMade();
      // The permit is kept meanwhile, so that no more wait here than the endpoint's window has.
      return await this.#ownFaults.notNow(error, delivery).finally(() => permit.giveBack());
    }
  }
}
