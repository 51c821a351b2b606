import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { formatSecret, SECRET_BYTES } from '../../src/domain/signing/secret.js';
import { gid } from '../support/ids.js';
import { RestApi } from '../support/rest-api.js';

/**
 * The client secrets of OAuth 2 are in nothing that anybody can read. They have the form of signing secrets, so every
 * log line, failed answer and table is searched for them besides when the database is given back.
 */

const READ = `{
  webhooks(first: 5) { edges { node { delivery { auth { kind tokenUrl clientId scope audience clientAuth } own warnings { message } } } } }
  auditLog { edges { node { action before after } } }
}`;

test('a client secret is in no answer, whether it was taken or refused, and in no table', async () => {
  await using api = await RestApi.open();
  const markers = Array.from({ length: 4 }, () => formatSecret(randomBytes(SECRET_BYTES)));
  const [first, second, third, fourth] = markers as [string, string, string, string];
  const read: string[] = [];
  const ask = async (line: string, json?: object) => {
    const { text, body } = await api.ask(line, json === undefined ? {} : { json });
    // The signing secret of a new webhook is shown once.
    read.push(text.replace(/"secret":"whsec_[^"]*"/, ''));
    return body;
  };
  const client = (secret: string) => ({
    token_url: 'https://id.acme.com/token',
    client_id: 'a:b',
    client_secret: secret,
  });
  const options = (oauth2: object) => ({ delivery: { auth: { oauth2 } } });
  const made = { url: 'https://example.com/', events: ['*'], options: options(client(first)) };
  const { data } = await ask('POST /webhooks', made);
  await ask('POST /webhooks', { ...made, url: 'https://localhost/' });
  const path = `/webhooks/${data.id}/options`;
  await ask(`GET ${path}`);
  await ask(`PATCH ${path}`, options(client(second)));
  await ask(
    `PATCH ${path}`,
    options({ ...client(third), token_url: `https://${third}@id.acme.com/`, scope: `"${third}` }),
  );
  await ask(`PATCH ${path}`, options(client(`${third}\n`)));
  await ask(`PATCH ${path}`, { delivery: { auth: { oauth2: client(third), bearer: third } } });
  await ask(`PATCH ${path}`, { delivery: { auth: { oauth2: { ...client(third), other: third } } } });
  await ask(`PATCH ${path}`, { delivery: { auth: { client_id: 'other' } } });
  await ask(`PATCH /webhooks/${data.id}`, { url: 'https://thief.example.com/' });
  const oauth2 = { tokenUrl: 'https://id.acme.com/token', clientId: 'a:b', clientSecret: fourth };
  const update = async (auth: object) => {
    const variables = { input: { id: gid.webhook(data.id), delivery: { auth } } };
    const query = 'mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { version } } }';
    return ask('POST //graphql', { query, variables });
  };
  expect((await update({ oauth2 })).errors).toBeUndefined();
  await update({ oauth2: { ...oauth2, clientId: '' } });
  await ask(`POST /webhooks/${data.id}/test`);
  expect((await ask('POST //graphql', { query: READ })).errors).toBeUndefined();
  const tables = await api.owner.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('hookwright', 'hookwright_jobs') and c.relkind = 'r'`,
  );
  for (const { name } of tables.rows) {
    const { rows } = await api.owner.query<{ row: string }>(`select t::text as row from ${name} t`);
    read.push(...rows.map(({ row }) => row));
  }
  const text = read.join('\n');
  expect(text).toContain('[secret]');
  expect(text).toContain('https://id.acme.com/token');
  for (const secret of markers) {
    const pair = `a%3Ab:${encodeURIComponent(secret)}`;
    for (const form of [secret, secret.slice('whsec_'.length), pair, Buffer.from(pair).toString('base64')]) {
      expect(text.includes(form)).toBe(false);
      expect(text.includes(Buffer.from(form).toString('hex'))).toBe(false);
    }
  }
});
