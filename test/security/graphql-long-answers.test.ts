import pg from 'pg';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { couponEmit, emitMany, makeTenant, makeWebhook, type TestTenant } from '../support/factories.js';
import { RestApi } from '../support/rest-api.js';

const KIB = 1024;
/** The least that GRAPHQL_ANSWER_BYTES_MAX takes. */
const ANSWER_BYTES_MAX = 4096 * KIB;
/** The longest payload: 16 of them are all that such an answer may have. */
const body = JSON.stringify({ code: 'x'.repeat(256 * KIB - 31), discount_type: 'y' });
const api = await RestApi.open({ GRAPHQL_ANSWER_BYTES_MAX: String(ANSWER_BYTES_MAX) });
const tenant = await tenantWith(api, 20);
afterAll(() => api[Symbol.asyncDispose]());
afterEach(() => vi.restoreAllMocks());

/** A tenant with a webhook, and so many of the longest events. */
async function tenantWith({ services }: RestApi, events: number, url?: string): Promise<TestTenant> {
  const made = await makeTenant(services);
  await makeWebhook(services, made.id, url === undefined ? {} : { url });
  await services.emitter.emit(Array(events).fill(couponEmit(made.id, { body })));
  return made;
}

const ask = (query: string, { key } = tenant, at = api) => at.ask('POST //graphql', { json: { query }, key });
const nodes = (fields: string) => `{ edges { node { ${fields} } } }`;
const page = (list: string, fields: string) => `{ ${list} ${nodes(fields)} }`;
const tooLarge = {
  message: `The answer would have more than ${ANSWER_BYTES_MAX} bytes of text. Ask for smaller pages, or for each long text once.`,
  extensions: { code: 'ANSWER_TOO_LARGE', reason: 'answer_too_large' },
};

describe('the texts of one answer are bounded together', () => {
  test('as many as fit are answered, and not one more', async () => {
    expect(Buffer.byteLength(body)).toBe(256 * KIB);
    const fits = await ask(page('events(first: 16)', 'payload'));
    expect(fits.body.errors).toBeUndefined();
    expect(fits.body.data.events.edges.at(-1).node.payload).toEqual(JSON.parse(body));
    const { status, body: refused } = await ask(page('events(first: 17)', 'body'));
    expect(status).toBe(200);
    const bodies = refused.data.events.edges.map(({ node }: { node: { body: string | null } }) => node.body);
    expect(bodies.filter((text: string | null) => text === body)).toHaveLength(16);
    expect(bodies.filter((text: string | null) => text === null)).toHaveLength(1);
    expect(refused.errors).toEqual([{ ...tooLarge, locations: expect.anything(), path: expect.anything() }]);
  });

  test.each([
    ['twice by aliases', page('events(first: 9)', 'a: body b: body')],
    ['as payload and as body', page('events(first: 9)', 'payload body')],
    ['of events and of requests', page('deliveries(first: 9)', 'event { body } asCurl')],
    ['at two places', `{ a: events(first: 9) ${nodes('body')} b: events(first: 9) ${nodes('body')} }`],
  ])('what is asked for %s counts twice', async (_, query) => {
    const { body: refused } = await ask(query);
    expect(refused.errors.map(({ extensions }: typeof tooLarge) => extensions.code)).toContain('ANSWER_TOO_LARGE');
    expect((await ask(query.replaceAll('first: 9', 'first: 8'))).body.errors).toBeUndefined();
  });

  test('what has no room is not read either, and bodies that nobody asks for never are', async () => {
    const spy = vi.spyOn(pg.Client.prototype, 'query');
    const reads = () =>
      spy.mock.calls
        .map(([statement]) => statement as unknown as { name?: string; values: [number, number[]] })
        .filter(({ name }) => name === 'read_event_bodies');
    await ask(page('events', 'a: body b: body'));
    expect(reads().map(({ values: [, ids] }) => ids.length)).toEqual([8]);
    spy.mockClear();
    await ask(page('events', 'id deliveries { edges { node { event { id } attempts { number } } } }'));
    const texts = spy.mock.calls.map(([statement]) => JSON.stringify(statement));
    expect(texts.filter((text) => /\b(body|response_body|response_headers)\b/.test(text))).toEqual([]);
  });

  test('short texts count too, when there are enough of them: twice as much as of long ones', async () => {
    const url = `https://example.com/${'u'.repeat(2000)}`;
    const other = await tenantWith(api, 0, url);
    for (let made = 1; made < 4; made++) {
      await makeWebhook(api.services, other.id, { url });
    }
    await emitMany(api.services, other.id, 100);
    // Of 2,020 characters each.
    const urls = (webhooks: number, count: number) => {
      const fields = Array.from({ length: count }, (_, n) => `a${n}: url`).join(' ');
      return page(`webhooks(first: ${webhooks})`, `deliveries(first: 100) ${nodes(`webhook { ${fields} }`)}`);
    };
    expect((await ask(urls(4, 10), other)).body.errors).toBeUndefined();
    const { status, body: refused } = await ask(urls(4, 11), other);
    expect({ status, refused }).toEqual({ status: 200, refused: { data: null, errors: [tooLarge] } });
  });
});
