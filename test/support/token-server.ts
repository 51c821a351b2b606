import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { formatSecret, SECRET_BYTES } from '../../src/domain/signing/secret.js';
import { openServer } from './loopback.js';
import { type Answer, answer, type Receiver, startReceiver } from './receiver.js';

/** The settings of a webhook that asks a token server. */
export const oauth2 = (tokenUrl: string, more: object = {}) => ({
  auth: {
    oauth2: { tokenUrl, clientId: 'hooks', clientSecret: 'a secret + its % signs', clientAuth: 'BASIC', ...more },
  },
});

/** A token in the form of signing secrets: every table and every log is searched for it (plaintext.ts). */
export const newToken = () => formatSecret(randomBytes(SECRET_BYTES));

export const json = (status: number, body: object): Answer =>
  answer(status, { 'content-type': 'application/json' }, JSON.stringify(body));

export interface TokenServer extends Receiver {
  /** Those that are valid, the newest last. */
  valid: string[];
  /** Answers with a new token. */
  give: Answer;
}

interface GivenTokens {
  lifeSeconds?: number;
  /** Whether the tokens before end with each new one. */
  oneAtATime?: boolean;
}

/** A token server on loopback that gives a token to everybody. */
export async function startTokenServer(options: GivenTokens = {}): Promise<TokenServer> {
  const { lifeSeconds = 3_600, oneAtATime = false } = options;
  const give: Answer = (request, response) => {
    const token = newToken();
    server.valid = oneAtATime ? [token] : [...server.valid, token];
    json(200, { access_token: token, token_type: 'Bearer', expires_in: lifeSeconds })(request, response);
  };
  const server: TokenServer = Object.assign(await startReceiver(give), { valid: [] as string[], give });
  return server;
}

/** Answers 200 to requests with a valid token, and 401 to others. */
export const guardedBy =
  ({ valid }: { valid(token: string): boolean | Promise<boolean> }): Answer =>
  async ({ headers }, response) => {
    const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
    response.writeHead((await valid(token)) ? 200 : 401).end();
  };

/** The part of the package that tests use. It has no types. */
interface ProviderLibrary {
  default: new (issuer: string, options: object) => Library;
}
interface Library {
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  ClientCredentials: { find(token: string): Promise<{ isValid: boolean; destroy(): Promise<void> } | undefined> };
}
const library: string = 'oidc-provider';

/** A real token server (npm: oidc-provider) on loopback, with one client. */
export async function startTokenProvider(
  client: { clientId: string; clientSecret: string; clientAuth: 'BASIC' | 'BODY'; scope: string },
  lifeSeconds = 600,
) {
  const { default: Provider } = (await import(library)) as ProviderLibrary;
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    handle(request, response);
  });
  const { port, close } = await openServer(server);
  const issuer = `http://127.0.0.1:${port}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        token_endpoint_auth_method: client.clientAuth === 'BASIC' ? 'client_secret_basic' : 'client_secret_post',
        grant_types: ['client_credentials'],
        response_types: [],
        redirect_uris: [],
        scope: client.scope,
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    scopes: client.scope.split(' '),
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
    ttl: { ClientCredentials: lifeSeconds },
    cookies: { keys: [randomBytes(16).toString('hex')] },
  });
  handle = provider.callback();
  return {
    tokenUrl: `${issuer}/token`,
    /** How often it was asked. */
    get asked() {
      return asked;
    },
    valid: async (token: string) => (await provider.ClientCredentials.find(token))?.isValid === true,
    revoke: async (token: string) => (await provider.ClientCredentials.find(token))?.destroy(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
