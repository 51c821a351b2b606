import * as client from 'openid-client';
import { claimNamed } from '../../../domain/keys/operator-role.js';
import type { Config } from '../../../platform/settings/config.js';

type Oidc = NonNullable<Config['oidc']>;

/** The time limit of each request to the provider. */
const TIMEOUT_SECONDS = 5;
/** Providers change their addresses and methods now and then. */
const METADATA_AGE_MAX_MS = 3_600_000;

export const CALLBACK_PATH = '/console/oidc/callback';

/** A sign-in that is under way, kept by the browser until the provider sends it back. */
export interface Flow {
  state: string;
  nonce: string;
  codeVerifier: string;
  /** The path of the console where the person wanted to go. */
  returnPath: string;
}

/** Why a person was not signed in. The sign-in page has a text for each reason. */
type Refusal = 'denied' | 'stale' | 'provider' | 'role';

export class SignInRefused extends Error {
  /** @param cause the error of the library, of which only messages are logged: it also has claims and codes */
  constructor(
    readonly refusal: Refusal,
    message: string,
    cause?: unknown,
  ) {
    super([message, ...wordsOf(cause)].join(': '));
  }
}

function wordsOf(error: unknown): string[] {
  return error instanceof Error ? [error.message, ...wordsOf(error.cause)] : [];
}

export type Claims = Readonly<Record<string, unknown>> & { sub: string };

/**
 * The OpenID provider: code flow with PKCE, state and nonce. Its metadata is read at the first sign-in, so that this
 * service starts while the provider is away, and again after an hour and after a failure.
 */
export class Provider {
  #found: Promise<client.Configuration> | undefined;
  #foundAtMs = 0;

  constructor(
    private readonly oidc: Oidc,
    private readonly clock: () => Date,
  ) {}

  /**
   * @returns the page of the provider where the person signs in, and the flow for their browser
   * @throws SignInRefused
   */
  async begin(returnPath: string): Promise<{ url: URL; flow: Flow }> {
    const found = await this.#discover();
    const flow = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      codeVerifier: client.randomPKCECodeVerifier(),
      returnPath,
    };
    const url = client.buildAuthorizationUrl(found, {
      redirect_uri: this.oidc.publicUrl + CALLBACK_PATH,
      scope: this.oidc.scopes,
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(flow.codeVerifier),
      code_challenge_method: 'S256',
    });
    return { url, flow };
  }

  /** @param search the query with which the provider has sent somebody back @throws SignInRefused */
  async end(search: string, { state, nonce, codeVerifier }: Flow): Promise<Claims> {
    const found = await this.#discover();
    const url = new URL(`${this.oidc.publicUrl}${CALLBACK_PATH}${search}`);
    if (url.searchParams.get('state') !== state) {
      throw new SignInRefused('stale', 'the answer belongs to another sign-in');
    }
    try {
      const tokens = await client.authorizationCodeGrant(found, url, {
        pkceCodeVerifier: codeVerifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      requireSubject(claims);
      const isWhole = claimNamed(claims, this.oidc.rolesClaim) !== undefined;
      return isWhole || found.serverMetadata().userinfo_endpoint === undefined
        ? claims
        : { ...(await client.fetchUserInfo(found, tokens.access_token, claims.sub)), ...claims };
    } catch (error) {
      const refused = refusalOf(error);
      if (refused.refusal === 'provider') {
        this.#found = undefined;
      }
      throw refused;
    }
  }

  /** @returns the page where the person signs out of the provider; null without such a page or provider */
  async signOutUrl(): Promise<string | null> {
    const found = await this.#discover().catch(() => null);
    if (found?.serverMetadata().end_session_endpoint === undefined) {
      return null;
    }
    const parameters = { post_logout_redirect_uri: `${this.oidc.publicUrl}/console` };
    return client.buildEndSessionUrl(found, parameters).href;
  }

  #discover(): Promise<client.Configuration> {
    const nowMs = this.clock().getTime();
    if (this.#found === undefined || nowMs - this.#foundAtMs >= METADATA_AGE_MAX_MS) {
      this.#foundAtMs = nowMs;
      const found: Promise<client.Configuration> = discover(this.oidc).catch((error: unknown) => {
        if (this.#found === found) {
          this.#found = undefined;
        }
        throw error;
      });
      this.#found = found;
    }
    return this.#found;
  }
}

/** The provider's own description. @throws SignInRefused */
export const readIssuer = async (oidc: Oidc): Promise<client.ServerMetadata> => (await discover(oidc)).serverMetadata();

/** @throws SignInRefused */
async function discover({ issuer, clientId, clientSecret }: Oidc): Promise<client.Configuration> {
  const authentication = clientSecret === undefined ? client.None() : withSecret(clientSecret);
  const onLoopback = issuer.startsWith('http:') ? [client.allowInsecureRequests] : [];
  const execute = [client.enableNonRepudiationChecks, ...onLoopback];
  const options = { timeout: TIMEOUT_SECONDS, execute };
  return client.discovery(new URL(issuer), clientId, undefined, authentication, options).catch((error: unknown) => {
    throw new SignInRefused('provider', `${issuer} could not be read`, error);
  });
}

/** The way that the provider supports. OpenID Connect Discovery: the default is client_secret_basic. */
function withSecret(secret: string): client.ClientAuth {
  return (server, ...request) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    const isBasic = methods.includes('client_secret_basic');
    (isBasic ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret))(server, ...request);
  };
}

/** The name of a session has the subject: without one all people would have the same. @throws Error */
function requireSubject({ sub }: Claims): void {
  if (sub.replaceAll(/[\p{Cc}\p{Cs}\s]/gu, '') === '') {
    throw new Error('the ID token has an empty subject (sub)');
  }
}

function refusalOf(error: unknown): SignInRefused {
  const isCoded = error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError;
  const code = isCoded ? error.error : null;
  const said = isCoded ? ` (${plain([error.error, error.error_description].filter(Boolean).join(': '))})` : '';
  switch (code) {
    case 'access_denied':
      return new SignInRefused('denied', `the person or the provider said no${said}`, error);
    case 'invalid_grant':
      return new SignInRefused('stale', `the code of the provider was used or is too old${said}`, error);
    default:
      return new SignInRefused('provider', `the answer of the provider was not right${said}`, error);
  }
}

const PLAIN_CHARS_MAX = 300;

/** The words of somebody else, for a line of the log. */
export const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, ' ').slice(0, PLAIN_CHARS_MAX);
