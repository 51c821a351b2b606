import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { WeighedMap } from '../../src/domain/collections/weighed-map.js';
import { RENEWED_FROM_MS, type TokenUse, tokenState, usedForMs } from '../../src/domain/oauth/access-token.js';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import { SecretUnreadable, type SecretVault } from '../../src/operations/secrets/secret-vault.js';
import {
  beginToken,
  endToken,
  failToken,
  followOptions,
  type MarkedRow,
  readToken,
  voidToken,
} from '../../src/operations/tokens/endpoint-tokens.js';
import { type Delay, LOADED_AGAIN } from '../gate/not-now.js';
import type { Sender } from '../sending/send.js';
import { type OAuthClient, requestToken } from './token-request.js';

/** The name that the envelope of a token is bound to: no field of a webhook has it. */
const SEALED_AS = 'access token';
const KEPT_BYTES_MAX = 16 * 1024 ** 2;
/** An entry without its token. */
const KEPT_BYTES = 400;
/** The pause between looks while another daemon asks. */
const LOOK_EVERY_MS = 50;
/** The end of another daemon's question, and then one of our own: longer than both may take. */
const WAIT_MS_MAX = 13_000;
/** So long a 401 waits for the row, also where no time is left: it may be of another client meanwhile. */
const LOOK_MS_MIN = 250;
const PUT_OFF: Delay = { putOffMs: 1_000 };

/** A webhook's access token. Times are monotonic. */
export interface AccessToken {
  text: string;
  sealed: Buffer;
  /** The latest of the options that it is for. */
  version: number;
  /** The mark of their client. */
  client: string;
  gotAtMs: number;
  usedUntilMs: number;
}

/** There is none. */
export interface NoToken {
  /** Why: a code of `src/domain/oauth/token-failure.ts`. */
  failure: string;
}

type Found = AccessToken | NoToken | Delay;
type Named = Pick<DueDelivery, 'tenantId' | 'webhookId' | 'optionsVersion'>;
type OfVersion = Pick<DueDelivery, 'tenantId' | 'webhookId'> & TokenUse;

/**
 * Access tokens of webhooks with OAuth 2. All daemons share those of `endpoint_tokens`, of which one at a time asks the
 * token server (docs/decisions/0087).
 */
export class AccessTokens {
  readonly #kept = new WeighedMap<number, AccessToken>(KEPT_BYTES_MAX);
  /** Deliveries of one webhook look for its token together. */
  readonly #searches = new Map<string, Promise<Found>>();

  constructor(
    private readonly pool: pg.Pool,
    private readonly vault: Pick<SecretVault, 'open' | 'seal'>,
    private readonly sender: Pick<Sender, 'ask'>,
  ) {}

  /**
   * The token with which a request is sent now. Where none lasts it may take seconds.
   *
   * @returns a delay when the webhook has changed, or other daemons take too long
   * @throws EgressProxyAway, NamesGone and others as `Sender.send` does
   */
  of(delivery: Named, client: OAuthClient): Promise<Found> {
    const named = ofVersion(delivery, client);
    const kept = this.#atHand(named);
    return kept === undefined ? this.#search(named, client) : Promise.resolve(kept);
  }

  /**
   * Another token, after a 401 to this one. The row's is void if it is still this one.
   *
   * @param withinMs later it is not needed any more, but found for others
   * @returns a delay when the webhook has another client: its token may have ended this one. Null: there is no other
   *   one, so the answer counts
   */
  async renewed(
    delivery: Named,
    client: OAuthClient,
    used: AccessToken,
    withinMs: number,
  ): Promise<AccessToken | Delay | null> {
    const over = new AbortController();
    const named = ofVersion(delivery, client);
    const { webhookId } = named;
    try {
      if ((this.#atHand(named) ?? used).text === used.text) {
        const read = await readToken(this.pool, webhookId);
        const row = read === 'GONE' ? undefined : read?.row;
        const isNew = row?.token?.sealed.equals(used.sealed) && performance.now() - used.gotAtMs < RENEWED_FROM_MS;
        // The next token, for which somebody asks, may have ended it already.
        if (isNew && tokenState(row!, named).is !== 'FETCHED') {
          return null;
        }
        // In this order, so that nobody takes it from the row again.
        await voidToken(this.pool, webhookId, used.sealed);
        this.#forget(webhookId, used);
      }
      const late = delay(Math.max(withinMs, LOOK_MS_MIN), PUT_OFF, over);
      const found = await Promise.race([this.of(delivery, client), late]);
      return found === LOADED_AGAIN || ('text' in found && found.text !== used.text) ? found : null;
    } catch {
      // Whatever it is, the next attempt meets it as well. This one has its answer.
      return null;
    } finally {
      over.abort();
    }
  }

  #atHand({ webhookId, version, client }: OfVersion): AccessToken | undefined {
    const now = performance.now();
    const kept = this.#kept.get(webhookId, now);
    const isOfClient = kept !== undefined && kept.client === client && kept.version >= version;
    return isOfClient && kept.usedUntilMs > now ? kept : undefined;
  }

  #keep(webhookId: number, token: AccessToken): AccessToken {
    this.#kept.set(webhookId, token, KEPT_BYTES + 2 * token.text.length, performance.now());
    return token;
  }

  /** One that has taken its place stays. */
  #forget(webhookId: number, used: AccessToken): void {
    if (this.#kept.get(webhookId, performance.now())?.text === used.text) {
      this.#keep(webhookId, { ...used, usedUntilMs: Number.NEGATIVE_INFINITY });
    }
  }

  #search(named: OfVersion, client: OAuthClient): Promise<Found> {
    const key = `${named.webhookId}.${named.version}`;
    const known = this.#searches.get(key);
    if (known !== undefined) {
      return known;
    }
    const search = this.#find(named, client).finally(() => this.#searches.delete(key));
    this.#searches.set(key, search);
    return search;
  }

  async #find(named: OfVersion, client: OAuthClient): Promise<Found> {
    const { webhookId } = named;
    const untilMs = performance.now() + WAIT_MS_MAX;
    let hasAsked = false;
    while (performance.now() < untilMs) {
      const readAtMs = performance.now();
      const read = await readToken(this.pool, webhookId);
      const state = read === 'GONE' ? read : tokenState(read?.row ?? null, named);
      // A question whose end is not in the row was for a webhook that has changed, or was deleted.
      if (state === 'GONE' || state.is === 'NEWER' || (state.is === 'WANTED' && hasAsked)) {
        return LOADED_AGAIN;
      }
      if (state.is === 'FAILED') {
        return { failure: state.failure };
      }
      if (state.is === 'WANTED') {
        if (client.mayBeAsked !== undefined && !(await client.mayBeAsked())) {
          return PUT_OFF;
        }
        const mark = await beginToken(this.pool, named, read === 'GONE' || read === null ? null : read.mark);
        hasAsked ||= mark !== null;
        const got = mark === null ? null : await this.#fetch(named, client, mark);
        if (got !== null) {
          return got;
        }
        continue;
      }
      const opened = state.is === 'USED' ? await this.#open(named, state, readAtMs) : null;
      if (opened !== null) {
        return await this.#follow(opened, named, read as MarkedRow);
      }
      await delay(LOOK_EVERY_MS);
    }
    return PUT_OFF;
  }

  /** @returns null: it does not open, and is removed */
  async #open(
    { tenantId, webhookId, version, client }: OfVersion,
    { sealed, ageMs, forMs }: { sealed: Buffer; ageMs: number; forMs: number },
    readAtMs: number,
  ): Promise<AccessToken | null> {
    try {
      const text = await this.vault.open(tenantId, webhookId, sealed, SEALED_AS);
      const times = { gotAtMs: readAtMs - ageMs, usedUntilMs: readAtMs + forMs };
      return { text, sealed, version, client, ...times };
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) {
        throw error;
      }
      await voidToken(this.pool, webhookId, sealed);
      return null;
    }
  }

  /** Keeps a token of the row, which becomes that of these options if it is of some before with the same client. */
  async #follow(token: AccessToken, named: OfVersion, { row, mark }: MarkedRow): Promise<AccessToken> {
    const isTheirs = row.version >= named.version || (await followOptions(this.pool, named, mark));
    return this.#keep(named.webhookId, {
      ...token,
      version: isTheirs ? Math.max(row.version, named.version) : row.version,
    });
  }

  /** Asks the token server. @returns null: the row says what has come of it, if it is still the one that was taken */
  async #fetch(
    { tenantId, webhookId, version, client }: OfVersion,
    asking: OAuthClient,
    mark: string,
  ): Promise<AccessToken | null> {
    const askedAtMs = performance.now();
    const answer = await requestToken(this.sender, asking, tenantId).catch(async (error) => {
      await failToken(this.pool, webhookId, mark, null);
      throw error;
    });
    if ('failure' in answer) {
      await failToken(this.pool, webhookId, mark, answer.failure);
      return null;
    }
    const sealed = await this.vault.seal(tenantId, webhookId, answer.text, SEALED_AS);
    const ageMs = performance.now() - askedAtMs;
    const leftMs = answer.lifeMs - ageMs;
    const isWritten = await endToken(this.pool, webhookId, mark, { sealed, ageMs, leftMs });
    const usedUntilMs = askedAtMs + usedForMs(answer.lifeMs, answer.lifeMs);
    return isWritten
      ? this.#keep(webhookId, { text: answer.text, sealed, version, client, gotAtMs: askedAtMs, usedUntilMs })
      : null;
  }
}

/** A webhook with OAuth 2 has options, and they have a version. */
const ofVersion = ({ tenantId, webhookId, optionsVersion }: Named, { mark }: OAuthClient): OfVersion => ({
  tenantId,
  webhookId,
  version: optionsVersion!,
  client: mark,
});
