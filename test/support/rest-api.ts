import type { InjectOptions } from 'fastify';
import { expect } from 'vitest';
import type { z } from 'zod';
import type { webhookWithSecret } from '../../src/api/rest/schemas.js';
import { errorCatalogue, type Reason } from '../../src/errors.js';
import { makeTenant, type TestTenant } from './factories.js';
import { watchPlaintext } from './plaintext.js';
import { openServed, ServedApi } from './served-api.js';

export interface RestAnswer {
  status: number;
  headers: Record<string, unknown>;
  /** The body as text. */
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON the answer has
  body: any;
}

export interface RestRequest extends Omit<InjectOptions, 'url' | 'method'> {
  /** Sent as JSON; for a text of one's own there is `payload`. */
  json?: unknown;
  /** Null sends none. Default: the key of the API's own tenant. */
  key?: string | null;
}

/** The whole server over a database of its own, asked without a socket. */
export class RestApi extends ServedApi {
  tenant!: TestTenant;

  static async open(settings: Record<string, string> = {}, clock?: () => Date, now?: () => number): Promise<RestApi> {
    const api = new RestApi(await openServed({ settings, clock, now }));
    api.tenant = await makeTenant(api.services);
    return api;
  }

  /** @param line method and path, as `GET /webhooks`; paths are below /api/v1 unless they start with `//` */
  async ask(
    line: string,
    { json, key = this.tenant.key, headers = {}, ...options }: RestRequest = {},
  ): Promise<RestAnswer> {
    const [method = '', path = ''] = line.split(' ', 2);
    const response = await this.server.inject({
      method: method as 'GET',
      url: path.startsWith('//') ? path.slice(1) : `/api/v1${path}`,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? {} : { payload: JSON.stringify(json) }),
      ...options,
    });
    const { statusCode: status, payload: text } = response;
    if (status >= 400) {
      watchPlaintext(`answer to ${line}`, text);
    }
    const isJson = /json/.test(String(response.headers['content-type'] ?? ''));
    const body = isJson && text !== '' ? JSON.parse(text) : undefined;
    return { status, headers: response.headers, text, body };
  }

  /** Makes a webhook over REST. */
  async webhook(
    json: object = { url: 'https://example.com/hooks', events: ['*'] },
    key = this.tenant.key,
  ): Promise<z.infer<typeof webhookWithSecret>> {
    const { status, body } = await this.ask('POST /webhooks', { json, key });
    expect(status).toBe(201);
    return body.data;
  }
}

/** The contract's fields (part 2), in the contract's order. */
export const contractFields = [
  ...['id', 'url', 'events', 'active', 'consecutive_failures'],
  ...['last_success_at', 'last_failure_at', 'disabled_at', 'created_at'],
];

/** "ISO 8601 date-time with numeric UTC offset" (contract part 2). */
export const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+00:00$/;

/** Expects a complete problem of this kind (RFC 9457). */
export function expectProblem({ status, headers, body }: RestAnswer, reason: Reason): void {
  expect({ status, code: body?.code }).toEqual({ status: errorCatalogue[reason].status, code: reason });
  expect(headers['content-type']).toBe('application/problem+json');
  expect(body).toMatchObject({
    type: `/problems/${reason.replaceAll('_', '-')}`,
    title: errorCatalogue[reason].title,
    status,
    detail: expect.stringMatching(/./),
  });
  expect('errors' in body).toBe(reason === 'invalid_input');
}

/** Expects a 422 that names exactly these places: JSON pointers, or `?name` for query parameters. */
export function expectRefusedAt(answer: RestAnswer, ...places: string[]): void {
  expectProblem(answer, 'invalid_input');
  for (const error of answer.body.errors) {
    expect(error).toEqual({
      [error.pointer === undefined ? 'parameter' : 'pointer']: expect.any(String),
      code: expect.stringMatching(/^[a-z_]+$/),
      detail: expect.stringMatching(/./),
    });
  }
  const found = answer.body.errors.map(
    ({ pointer, parameter }: { pointer?: string; parameter?: string }) => pointer ?? `?${parameter}`,
  );
  expect(found).toEqual(places);
}
