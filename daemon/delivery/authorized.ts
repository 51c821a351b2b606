import type { DeliveryRequest } from '../../src/domain/deliveries/delivery-request.js';
import type { SendResult } from '../../src/domain/deliveries/outcome.js';
import { authHeaderName } from '../../src/domain/fields/auth.js';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import { type Delay, LOADED_AGAIN } from '../gate/not-now.js';
import { WAIT_MS_MAX } from '../gate/wait-limits.js';
import { type Fence, SendingStopped } from '../liveness/fence.js';
import type { AccessToken, AccessTokens, NoToken } from './access-tokens.js';
import type { DeliveryOptions } from './options.js';
import type { OAuthClient } from './token-request.js';

type Named = Pick<DueDelivery, 'tenantId' | 'webhookId' | 'optionsVersion'>;

interface Attempt {
  named: Named;
  options: Pick<DeliveryOptions, 'oauth2' | 'secrets'>;
  request: DeliveryRequest;
  /** Monotonic. */
  startedAtMs: number;
  /** The time for all that is sent. */
  timeoutMs: number;
}

/** A second request that has less time than this, or than half of the timeout, is not sent. */
const REPEAT_MS_MIN = 1_000;

const HEADER = authHeaderName({ kind: 'BEARER' });

/** Sends the requests of webhooks with OAuth 2, each with an access token. */
export class Authorized {
  constructor(
    private readonly tokens: Pick<AccessTokens, 'of' | 'renewed'>,
    private readonly fence: Pick<Fence, 'mayBegin'>,
  ) {}

  /**
   * @param isStillDue asked after a wait in which the webhook may have been paused, moved or deleted
   * @returns and throws as `AccessTokens.of`; SendingStopped when the daemon ends meanwhile
   */
  async tokenFor(
    named: Named,
    client: OAuthClient,
    isStillDue: () => Promise<boolean>,
  ): Promise<AccessToken | NoToken | Delay> {
    const askedAtMs = performance.now();
    const token = await this.tokens.of(named, client);
    const isOutdated = 'text' in token && performance.now() - askedAtMs > WAIT_MS_MAX && !(await isStillDue());
    this.#requireTime();
    return isOutdated ? LOADED_AGAIN : token;
  }

  /**
   * Sends the request. After a 401 it is sent once more with another token, if there is one: then only that answer
   * counts. Asking for the other token and the second request have what the first one leaves of the timeout. Without a
   * token nothing is sent.
   *
   * @returns the result, and the texts that it must not keep; a delay when nothing counts, because the webhook has
   *   another client meanwhile
   * @throws SendingStopped when the daemon ends before the request is sent once more
   */
  async send(
    token: AccessToken | NoToken,
    { named, options, request, startedAtMs, timeoutMs }: Attempt,
    send: (leftMs?: number) => Promise<SendResult>,
  ): Promise<{ result: SendResult; secrets: readonly string[] } | Delay> {
    const { oauth2, secrets } = options;
    if ('failure' in token) {
      const durationMs = Math.round(performance.now() - startedAtMs);
      return { result: { kind: 'error', code: 'AUTH_FAILED', tokenFailure: token.failure, durationMs }, secrets };
    }
    const sendWith = ({ text }: AccessToken, leftMs?: number) => {
      request.headers[HEADER] = `Bearer ${text}`;
      return send(leftMs);
    };
    const result = await sendWith(token);
    if (result.kind === 'error' || result.statusCode !== 401) {
      return { result, secrets: [...secrets, token.text] };
    }
    const repeatMsMin = Math.min(REPEAT_MS_MIN, timeoutMs / 2);
    const repeatableForMs = () => startedAtMs + timeoutMs - repeatMsMin - performance.now();
    const other = await this.tokens.renewed(named, oauth2!, token, repeatableForMs());
    if (other !== null && 'putOffMs' in other) {
      return other;
    }
    const isRepeated = other !== null && repeatableForMs() >= 0;
    if (isRepeated) {
      this.#requireTime();
    }
    const last = isRepeated ? await sendWith(other, repeatableForMs() + repeatMsMin) : result;
    const texts = [token, ...(other === null ? [] : [other])].map(({ text }) => text);
    const durationMs = Math.round(performance.now() - startedAtMs);
    return { result: { ...last, durationMs }, secrets: [...secrets, ...texts] };
  }

  /** A request that begins too late may end unrecorded. */
  #requireTime(): void {
    if (!this.fence.mayBegin) {
      throw new SendingStopped('The request was not sent, because its outcome might not have been recorded.');
    }
  }
}
