import { afterAll, expect, test } from 'vitest';
import { AUTHORITY, GOOD, KEY } from '../support/certificates.js';
import { gid } from '../support/ids.js';
import { RestApi } from '../support/rest-api.js';

const api = await RestApi.open();
afterAll(() => api[Symbol.asyncDispose]());

const DAY_MS = 86_400_000;

/** As if the certificate ended so many days from now. */
const endIn = (id: number, certificate: 'client' | 'ca', days: number) =>
  api.owner.query(
    `update hookwright.webhook_options set tls = jsonb_set(tls, $2, to_jsonb($3::text)) where webhook_id = $1`,
    [id, [certificate, 'endsAt'], new Date(Date.now() + days * DAY_MS).toISOString()],
  );
const inGraphql = async (id: number) => {
  const query = `{ webhook(id: "${gid.webhook(id)}") { delivery { warnings { code path message } } } }`;
  return (await api.ask('POST //graphql', { json: { query } })).body.data.webhook.delivery.warnings;
};
const inRest = async (id: number) => (await api.ask(`GET /webhooks/${id}/options`)).body.data.delivery.warnings;
const codesOf = (warnings: { code: string; path: string }[]) => warnings.map(({ code, path }) => `${path} ${code}`);

test('a webhook says which of its certificates end within 14 days or have ended, in GraphQL and in REST', async () => {
  const { id } = await api.webhook();
  const tls = { ca_pem: AUTHORITY, client_certificate_pem: GOOD, client_key_pem: KEY };
  const { status } = await api.ask(`PATCH /webhooks/${id}/options`, { json: { delivery: { tls } } });
  expect(status).toBe(200);
  expect(await inGraphql(id)).toEqual([]);
  await endIn(id, 'client', 15);
  expect(await inGraphql(id)).toEqual([]);
  await endIn(id, 'client', 13);
  expect(codesOf(await inGraphql(id))).toEqual(['tls.clientCertificate certificate_ending']);
  await endIn(id, 'ca', -1);
  expect(codesOf(await inGraphql(id))).toEqual([
    'tls.clientCertificate certificate_ending',
    'tls.ca certificate_ended',
  ]);
  expect(codesOf(await inRest(id))).toEqual(codesOf(await inGraphql(id)));
});
