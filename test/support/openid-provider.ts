import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { openServer } from './loopback.js';

/** The part of the package that tests use. It has no types. */
interface ProviderLibrary {
  default: new (
    issuer: string,
    options: object,
  ) => { callback(): (request: IncomingMessage, response: ServerResponse) => void };
}
const library: string = 'oidc-provider';
const { default: Provider } = (await import(library)) as ProviderLibrary;

/** The groups of everybody whom the provider knows; any password will do. */
const groupsOf: Record<string, readonly string[]> = {
  ann: ['staff', 'hooks-admin'],
  sue: ['staff', 'hooks-support'],
  vic: ['hooks-viewer'],
  two: ['hooks-viewer', 'hooks-support'],
  out: ['staff'],
  // non has no claim of groups.
  ' ': ['hooks-admin'],
};

interface ProviderOptions {
  /** Where people are sent back to. */
  consoleUrl: string;
  /** Default: a public client. */
  clientSecret?: string;
  /** Whether the ID token has all claims; default: they are in the user info. */
  wholeIdToken?: boolean;
  /** Default: any free one. */
  port?: number;
  /** Where codes are exchanged. */
  tokenPath?: string;
}

/** A real OpenID provider (npm: oidc-provider) on loopback, with forms for signing in and for consent. */
export class OpenIdProvider implements AsyncDisposable {
  /** How often its metadata was read. */
  discoveries = 0;

  private constructor(
    readonly issuer: string,
    private readonly close: () => Promise<void>,
  ) {}

  static async start(options: ProviderOptions): Promise<OpenIdProvider> {
    const { consoleUrl, clientSecret, wholeIdToken, tokenPath = '/token' } = options;
    let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {};
    const server = createServer((request, response) => answer(request, response));
    const { port, close } = await openServer(server, options.port);
    const issuer = `http://127.0.0.1:${port}`;
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: 'hookwright',
          ...(clientSecret === undefined ? { token_endpoint_auth_method: 'none' } : { client_secret: clientSecret }),
          redirect_uris: [`${consoleUrl}/oidc/callback`],
          post_logout_redirect_uris: [consoleUrl],
        },
      ],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
      ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      cookies: { keys: [randomBytes(16).toString('hex')] },
      claims: { openid: ['sub'], email: ['email'], profile: ['groups'] },
      conformIdTokenClaims: wholeIdToken !== true,
      routes: { token: tokenPath },
      findAccount: (_context: unknown, accountId: string) => ({
        accountId,
        claims: () => ({ sub: accountId, email: `${accountId}@example.com`, groups: groupsOf[accountId] }),
      }),
    });
    const started = new OpenIdProvider(issuer, close);
    const callback = provider.callback();
    answer = (request, response) => {
      started.discoveries += Number(request.url === '/.well-known/openid-configuration');
      callback(request, response);
    };
    return started;
  }

  /** The settings of a service whose people sign in here. */
  settings(publicUrl: string, clientSecret?: string): Record<string, string> {
    return {
      PUBLIC_URL: publicUrl,
      OIDC_ISSUER: this.issuer,
      OIDC_CLIENT_ID: 'hookwright',
      OIDC_NAME: 'Example <SSO>',
      OIDC_ROLE_ADMIN: 'hooks-admin',
      OIDC_ROLE_SUPPORT: 'hooks-support,hooks-helpers',
      OIDC_ROLE_VIEWER: 'hooks-viewer',
      ...(clientSecret === undefined ? {} : { OIDC_CLIENT_SECRET: clientSecret }),
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
