import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { Pool } from 'undici';
import { afterAll, expect, test } from 'vitest';
import { buildGraphqlSchema } from '../../src/api/graphql/schema.js';
import { SCOPES } from '../../src/domain/keys/scopes.js';
import { emitMany, makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { draws, drawsWithin, fc, isFuzz } from '../support/properties.js';
import { RestApi } from '../support/rest-api.js';
import { innards } from '../support/untouched.js';
import { type GraphqlBody, operations } from './graphql-operations.js';
import {
  callsOf,
  operationsOf,
  type RestCall,
  type RestOperation,
  resolved,
  WEBHOOKS_SEEDED,
} from './rest-requests.js';

/**
 * Requests that nobody thought of, over the real server: made from the OpenAPI document and from the GraphQL schema.
 * `npm run fuzz` takes FUZZ_SECONDS (120) and another seed each time, which it prints; FUZZ_SEED repeats one.
 */
const seconds = isFuzz ? Number(process.env['FUZZ_SECONDS'] ?? 120) : 4;
const seed = isFuzz ? Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31) : 1;
const CONNECTIONS = 4;

/** Half of the time for each of the two; the usual suite counts runs, so that it does the same everywhere. */
const effort = { seed, ...(isFuzz ? drawsWithin(seconds * 500) : draws(1 / 6)) };
const timeoutMs = seconds * 1000 + 120_000;

const api = await RestApi.open({ WEBHOOKS_PER_TENANT_MAX: '200' });
const { services, tenant } = api;
const pool = new Pool(await api.server.listen({ host: '127.0.0.1', port: 0 }), { connections: CONNECTIONS });
const other = await makeTenant(services);
for (const { id } of [tenant, other]) {
  for (let made = 0; made < WEBHOOKS_SEEDED / 2; made++) {
    await makeWebhook(services, id, { eventTypes: made < 2 ? ['*'] : ['voucher.emitted'] });
  }
  await emitMany(services, id, 3);
}
// The trial may revoke these; the ids of the keys that it uses are too high to be guessed.
await Promise.all(Array.from({ length: 20 }, () => makeKey(services, tenant.id, SCOPES)));
const keyWith = async (tenantId: number | null, scopes: Parameters<typeof makeKey>[2]) =>
  (await makeKey(services, tenantId, scopes)).key;
const keys = [
  await keyWith(tenant.id, SCOPES),
  await keyWith(tenant.id, SCOPES),
  await keyWith(other.id, SCOPES),
  await keyWith(other.id, ['webhooks:read', 'deliveries:read']),
  await keyWith(tenant.id, ['events:emit']),
  await keyWith(null, ['platform:admin']),
  'nonsense',
];
afterAll(async () => {
  await pool.close();
  await api[Symbol.asyncDispose]();
});

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

async function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string | null,
): Promise<Answer> {
  const answer = await pool.request({ method: method as 'POST', path, headers, body });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

const keyOf = fc.nat({ max: 40 }).map((index) => (index === 40 ? null : index < 7 ? index : index % 3));
const authorization = (index: number | null): Record<string, string> =>
  index === null ? {} : { authorization: `Bearer ${keys[index]}` };

const counts = new Map<string, number>();
function count(what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}
afterAll(() => {
  if (isFuzz) {
    const total = [...counts.values()].reduce((sum, each) => sum + each, 0);
    console.log(`seed ${seed}, ${total} requests in ${seconds} s`);
    console.table(Object.fromEntries([...counts].sort()));
  }
});

test(
  'whatever is sent to REST, the answer is one that the OpenAPI document has',
  async () => {
    const { body: document } = await api.ask('GET /openapi.json', { key: null });
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const judges = new Map<object, ValidateFunction>();
    const judgeOf = (schema: object) => {
      judges.set(schema, judges.get(schema) ?? ajv.compile(schema));
      return judges.get(schema)!;
    };
    const calls = fc.oneof(...operationsOf(resolved(document)).map(callsOf));
    await fc.assert(
      fc.asyncProperty(calls, keyOf, async (call, key) => {
        await expectDocumented(call, { ...call.headers, ...authorization(key) }, judgeOf);
      }),
      effort,
    );
  },
  timeoutMs,
);

async function expectDocumented(
  { operation, path, body }: RestCall,
  headers: Record<string, string>,
  judgeOf: (schema: object) => ValidateFunction,
): Promise<void> {
  const { method } = operation;
  const answer = await send(method, `/api/v1${path}`, headers, body);
  count(`REST ${answer.status} ${method} ${operation.path}`);
  expect(answer.status, answer.text).toBeLessThan(500);
  const expected = responseOf(operation, answer);
  if (expected.content === undefined) {
    expect(answer.text).toBe('');
    return;
  }
  const [[type, { schema }]] = Object.entries<{ schema: object }>(expected.content) as [[string, { schema: object }]];
  expect(String(answer.headers['content-type']).split(';')[0]).toBe(type);
  const value = JSON.parse(answer.text);
  const judge = judgeOf(schema);
  expect({ fits: judge(value), errors: judge.errors, value }).toMatchObject({ fits: true });
  if (answer.status >= 400) {
    expect(value.status).toBe(answer.status);
    expect(answer.text).not.toMatch(innards);
  }
}

function responseOf({ method, path, responses }: RestOperation, { status, headers, text }: Answer) {
  const response = responses[status];
  expect(
    response,
    `${method} ${path} answered ${status}, which is not documented: ${text.slice(0, 300)}`,
  ).toBeDefined();
  // Who names a foreign or unknown tenant is refused before anything is counted.
  const isUncounted = status === 403 || status === 404;
  for (const name of Object.keys(response.headers ?? {})) {
    if (isUncounted && name.startsWith('RateLimit')) {
      continue;
    }
    expect(headers, `${status} without ${name}`).toHaveProperty(name.toLowerCase());
  }
  return response;
}

const codes = [
  ...['BAD_USER_INPUT', 'UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'RATE_LIMITED'],
  ...['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'OPERATION_RESOLUTION_FAILURE', 'BAD_REQUEST'],
];

test(
  'whatever is sent to GraphQL, the answer is data or typed errors',
  async () => {
    const schema = await buildGraphqlSchema();
    await fc.assert(
      fc.asyncProperty(operations(schema), keyOf, async (body, key) => {
        await expectTyped(body, { 'content-type': 'application/json', ...authorization(key) });
      }),
      effort,
    );
  },
  timeoutMs,
);

async function expectTyped(body: GraphqlBody, headers: Record<string, string>): Promise<void> {
  const { status, headers: answered, text } = await send('POST', '/graphql', headers, JSON.stringify(body));
  expect([200, 400, 401, 413, 429], text).toContain(status);
  expect(String(answered['content-type'])).toMatch(/^application\/(graphql-response\+)?json/);
  const { data, errors = [] } = JSON.parse(text);
  expect(data !== undefined || errors.length > 0).toBe(true);
  for (const { message, extensions } of errors) {
    expect(codes, `${extensions?.code}: ${message}`).toContain(extensions?.code);
    count(`GraphQL ${status} ${extensions.code}`);
  }
  if (errors.length === 0) {
    count(`GraphQL ${status} data`);
    expect(status).toBe(200);
  } else {
    expect(JSON.stringify(errors)).not.toMatch(innards);
  }
}
