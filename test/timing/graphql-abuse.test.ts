import { afterAll, expect, test } from 'vitest';
import { type Abuse, abuses } from '../support/graphql-abuse.js';
import { cpuTimeOf } from '../support/machine-speed.js';
import { RestApi } from '../support/rest-api.js';

const api = await RestApi.open();
afterAll(() => api[Symbol.asyncDispose]());

const post = (json: unknown) => api.ask('POST //graphql', { json });
await post({ query: '{ eventTypes { name } viewer { scopes } }' }); // the key and the registry are known

const RUNS = 7;
/** The promise is 10 ms (MEASURE=1 prints the times). Other work of the process, such as collecting garbage, adds. */
const CPU_MS_MAX = 50;
const isMeasured = process.env['MEASURE'] === '1';
const measured: { abuse: string; cpuMs: number; bytes: number }[] = [];
afterAll(() => {
  if (isMeasured) {
    console.table(measured.toSorted((a, b) => b.cpuMs - a.cpuMs));
  }
});

/** Of several runs, because that work only adds to one. */
async function leastCpuMs(ask: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS && (isMeasured || least >= CPU_MS_MAX); run++) {
    least = Math.min(least, (await cpuTimeOf(ask)).tookMs);
  }
  return least;
}

test.each(abuses)('abuse is refused cheaply: $name', async ({ name, body }: Abuse) => {
  const payload = Buffer.from(JSON.stringify(body));
  const headers = { 'content-type': 'application/json' };
  const cpuMs = await leastCpuMs(() => api.ask('POST //graphql', { headers, payload }));
  measured.push({ abuse: name, cpuMs, bytes: payload.length });
  expect(cpuMs).toBeLessThan(CPU_MS_MAX);
});

test('a key of many spaces that are none to HTTP is refused cheaply', async () => {
  const headers = { authorization: `${'\u00a0'.repeat(15_000)}x` };
  const cpuMs = await leastCpuMs(async () => {
    const json = { query: '{ viewer { scopes } }' };
    expect((await api.ask('POST //graphql', { key: null, headers, json })).status).toBe(401);
  });
  expect(cpuMs).toBeLessThan(CPU_MS_MAX);
});
