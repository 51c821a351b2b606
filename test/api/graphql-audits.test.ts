import { serverAudits } from 'graphql-http';
import { afterAll, describe, expect, test } from 'vitest';
import { serve } from '../support/loopback.js';
import { RestApi } from '../support/rest-api.js';

/** Refused requests have a failing status for every type of answer, because proxies and metrics see only that. */
const otherwiseOnPurpose = new Set([
  'SHOULD use 200 status code on document parsing failure when accepting application/json',
  'SHOULD use 200 status code on document validation failure when accepting application/json',
  'SHOULD use a status code of 200 on variable coercion failure when accepting application/json',
]);
const api = await RestApi.open();
const address = `http://127.0.0.1:${await serve(api.server)}`;
afterAll(() => api[Symbol.asyncDispose]());

const audits = serverAudits({
  url: 'http://hookwright.test/graphql',
  // The audits do not know of the header that a query in a URL needs.
  fetchFn: (url: string, init: RequestInit = {}) =>
    fetch(url.replace('http://hookwright.test', address), {
      ...init,
      headers: { ...init.headers, 'apollo-require-preflight': 'true' },
    }),
});

describe('the audits of GraphQL over HTTP', () => {
  test.each(audits.map((audit) => [audit.name, audit] as const))('%s', async (name, audit) => {
    const { status } = await audit.fn();
    expect(status).toBe(otherwiseOnPurpose.has(name) ? 'warn' : 'ok');
  });
});
