import { afterAll, expect, test } from 'vitest';
import { issueCertificate, pemOf, rsaKey } from '../support/issue-certificate.js';
import { RestApi } from '../support/rest-api.js';

/** Sentences about fields are the same for REST and GraphQL, so they have no name that only one of them knows. */

const api = await RestApi.open();
afterAll(() => api[Symbol.asyncDispose]());

const authority = issueCertificate({ subject: 'Acme CA', isAuthority: true });
const client = issueCertificate({ subject: 'hooks', issuer: authority });
const other = issueCertificate({ subject: 'other' });
const short = issueCertificate({ subject: 'short', key: rsaKey(1_024) });
const [certificate, chain] = [client.certificate, client.certificate + short.certificate];

const ofTls = {
  'no authorities': { ca_pem: 'garbage' },
  'a key among authorities': { ca_pem: client.key },
  'an authority with a short key': { ca_pem: short.certificate },
  'a certificate alone': { client_certificate_pem: certificate },
  'a certificate whose key is removed': { client_certificate_pem: certificate, client_key_pem: null },
  'a key whose certificate is removed': { client_certificate_pem: null, client_key_pem: client.key },
  'the key of another certificate': { client_certificate_pem: certificate, client_key_pem: other.key },
  'no key': { client_certificate_pem: certificate, client_key_pem: 'garbage' },
  'two keys': { client_certificate_pem: certificate, client_key_pem: client.key + other.key },
  'a chain with a short key': { client_certificate_pem: chain, client_key_pem: client.key },
  'a key beside the certificate': { client_certificate_pem: certificate + client.key },
  'a key alone': { client_key_pem: client.key },
  'a key that is removed alone': { client_key_pem: null },
  'a short key': { client_key_pem: pemOf(rsaKey(1_024)) },
};

const ofOAuth2 = {
  'a user name in the address for tokens': { token_url: 'https://a:b@id.acme.com/token' },
  'http for tokens': { token_url: 'http://id.acme.com/token' },
  'no address for tokens': { token_url: 'token' },
  'no client': { client_id: '' },
  'no secret to keep': { client_secret: null },
  'a secret with a line break': { client_secret: '\n' },
  'an unknown way to prove it': { client_auth: 'NONE' },
  'no scope': { scope: '"' },
  'no audience': { audience: '\n' },
};

const oauth2 = { token_url: 'https://id.acme.com/token', client_id: 'hooks', client_secret: 'b' };
const refusals: [name: string, delivery: object][] = [
  ...Object.entries(ofTls).map(([name, tls]): [string, object] => [name, { tls }]),
  ...Object.entries(ofOAuth2).map(([name, change]): [string, object] => [
    name,
    { auth: { oauth2: { ...oauth2, ...change } } },
  ]),
  ['two kinds of auth', { auth: { oauth2, bearer: 'a' } }],
];

const GRAPHQL_NAME = /\b[a-z]+[A-Z]\w*/;

test.each(refusals)('a refusal in REST has no name of GraphQL: %s', async (_, delivery) => {
  const { id } = await api.webhook();
  const { status, body, text } = await api.ask(`PATCH /webhooks/${id}/options`, { json: { delivery } });
  expect(status).toBe(422);
  for (const { detail } of [body, ...body.errors]) {
    expect(detail).not.toMatch(GRAPHQL_NAME);
  }
  expect(text).not.toMatch(GRAPHQL_NAME);
});
