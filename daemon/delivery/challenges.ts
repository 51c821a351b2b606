import { hostOf } from '../../src/domain/addresses/url-form.js';
import { REQUEST_MS_MAX } from '../../src/domain/challenges/ask-times.js';
import {
  CHALLENGE_BYTES,
  CHALLENGE_EVENT_TYPE,
  challengeBody,
  judgeChallenge,
  judgeOptions,
  originOfService,
  REQUEST_ORIGIN,
} from '../../src/domain/challenges/challenge.js';
import type { DeliveryRequest } from '../../src/domain/deliveries/delivery-request.js';
import type { SendResult } from '../../src/domain/deliveries/outcome.js';
import { tokenFailureDetail } from '../../src/domain/oauth/token-failure.js';
import { recordNoProof, recordProof } from '../../src/operations/challenges/record-answer.js';
import { type Asked, giveBackAsk, isStillAsked, takePlace } from '../../src/operations/challenges/take-due.js';
import type { Database } from '../../src/platform/database/database.js';
import { USER_AGENT } from '../../src/platform/node/version.js';
import type { Config } from '../../src/platform/settings/config.js';
import { isNotNow } from '../gate/not-now.js';
import type { Fence } from '../liveness/fence.js';
import type { Sender } from '../sending/send.js';
import type { Authorized } from './authorized.js';
import { addKeySignature, type KeySigner } from './key-signer.js';
import type { DeliveryOptions, OptionsOfWebhooks } from './options.js';
import type { OwnFaults } from './own-faults.js';
import type { Signer } from './signer.js';

interface ChallengeDeps {
  config: Pick<Config, 'publicUrl'>;
  db: Database;
  sender: Sender;
  fence: Fence;
  clock: () => Date;
  random: (bytes: number) => Buffer;
  /** The same as of attempts: an endpoint is asked as it is called. */
  signer: Signer;
  options: OptionsOfWebhooks;
  keys: KeySigner;
  authorized: Authorized;
  ownFaults: OwnFaults;
}

/** A place is for requests that leave soon: a process that slept in between would ask beside others. */
const FIRST_LATE_MS = 5_000;
const SECOND_LATE_MS = FIRST_LATE_MS + REQUEST_MS_MAX;
const TOO_LATE: SendResult = { kind: 'error', code: 'TIMEOUT', durationMs: 0 };
/** The host has no place; the search passes it over until there is one. */
const FULL_PAUSE_MS = 1_000;

/** Asks endpoints whether they want deliveries (docs/decisions/0088). */
export class Challenges {
  readonly #origin: string;

  constructor(private readonly deps: ChallengeDeps) {
    this.#origin = originOfService(deps.config.publicUrl);
  }

  /** Whether answers could be recorded. */
  get mayAsk(): boolean {
    return this.deps.fence.mayBegin;
  }

  /**
   * Asks the endpoint of a webhook, with the options that its attempts have, and records what it proves. An ask that
   * cannot be made is given back, and comes again.
   *
   * @throws Error for faults of our own (the database is away); the ask comes again when its time is over
   */
  async ask(asked: Asked): Promise<void> {
    const { db, ownFaults } = this.deps;
    try {
      const putOffMs = await this.#askNow(asked);
      if (putOffMs !== null) {
        await giveBackAsk(db.pool, asked, putOffMs);
      }
    } catch (error) {
      const { putOffMs } = await ownFaults.notNow(error, asked);
      await giveBackAsk(db.pool, asked, putOffMs);
    }
  }

  /** @returns null when the answer was recorded; in how many ms to ask again, when nothing was asked */
  async #askNow(asked: Asked): Promise<number | null> {
    const { db, random, sender, authorized, options: all } = this.deps;
    const found = all.atHand(asked) ?? (await all.read(asked));
    if (isNotNow(found)) {
      return typeof found === 'object' ? found.putOffMs : 0;
    }
    const options = this.#inPlaces(found);
    const token =
      options.oauth2 === null
        ? null
        : await authorized.tokenFor(asked, options.oauth2, () => isStillAsked(db.pool, asked));
    if (token !== null && 'putOffMs' in token) {
      return token.putOffMs;
    }
    if (token !== null && 'failure' in token) {
      const detail = tokenFailureDetail(token.failure);
      await recordNoProof(db.pool, asked, { detail, optionsCode: 'AUTH_FAILED', challengeCode: 'AUTH_FAILED' });
      return null;
    }
    const challenge = random(CHALLENGE_BYTES).toString('base64url');
    const request = await this.#signed(asked, options, challenge);
    const takenAtMs = performance.now();
    if (!(await takePlace(db.pool, hostOf(new URL(asked.url))))) {
      return FULL_PAUSE_MS;
    }
    const send = async (wanted: DeliveryRequest, lateMs: number): Promise<SendResult | null> => {
      this.deps.fence.requireOpen();
      if (performance.now() - takenAtMs > lateMs) {
        return null;
      }
      const sendNow = (leftMs?: number) =>
        sender.send(asked.url, wanted, asked.tenantId, REQUEST_MS_MAX, options.tls, leftMs);
      if (token === null) {
        return await sendNow();
      }
      const limits = { startedAtMs: performance.now(), timeoutMs: REQUEST_MS_MAX };
      const sent = await authorized.send(token, { named: asked, options, request: wanted, ...limits }, sendNow);
      return isNotNow(sent) ? null : sent.result;
    };
    const toOptions = await send(this.#permissionRequest(options), FIRST_LATE_MS);
    if (toOptions === null) {
      return FULL_PAUSE_MS;
    }
    const permission = judgeOptions(toOptions, this.#origin);
    if (permission.isProof) {
      await recordProof(db, asked, { method: 'OPTIONS', ratePerMinute: permission.ratePerMinute });
      return null;
    }
    // Its first request counts: given back, a slow endpoint would be asked again and again.
    const toChallenge = (await send(request, SECOND_LATE_MS)) ?? TOO_LATE;
    const echo = judgeChallenge(toChallenge, challenge);
    if (echo.isProof) {
      await recordProof(db, asked, { method: 'CHALLENGE', ratePerMinute: null });
    } else {
      const detail = `OPTIONS: ${permission.said}; ${CHALLENGE_EVENT_TYPE}: ${echo.said}`;
      await recordNoProof(db.pool, asked, { detail, optionsCode: permission.code, challengeCode: echo.code });
    }
    return null;
  }

  /** A token server is asked on behalf of an endpoint that has proved nothing: it needs a place as well. */
  #inPlaces(options: DeliveryOptions): DeliveryOptions {
    const { oauth2 } = options;
    const mayBeAsked = () => takePlace(this.deps.db.pool, hostOf(new URL(oauth2!.tokenUrl)));
    return oauth2 === null ? options : { ...options, oauth2: { ...oauth2, mayBeAsked } };
  }

  /** The challenge as a delivery would come: the receiver verifies it as one. */
  async #signed(asked: Asked, options: DeliveryOptions, challenge: string): Promise<DeliveryRequest> {
    const { signer, keys, clock } = this.deps;
    const secrets = signer.keysAtHand(asked) ?? (await signer.openKeys(asked));
    const pair = options.isSignedByKey ? await keys.keyOf(asked.tenantId) : null;
    const event = { id: asked.id, eventType: CHALLENGE_EVENT_TYPE, body: challengeBody(challenge) };
    const request = signer.sign(event, options, secrets, clock());
    if (pair !== null) {
      await addKeySignature(request, pair);
    }
    return request;
  }

  #permissionRequest({ headers }: DeliveryOptions): DeliveryRequest {
    return {
      method: 'OPTIONS',
      headers: {
        'user-agent': USER_AGENT,
        accept: '*/*',
        'accept-encoding': 'identity',
        ...headers,
        [REQUEST_ORIGIN]: this.#origin,
      },
      body: Buffer.alloc(0),
    };
  }
}
