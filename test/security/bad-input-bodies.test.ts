import { afterAll, describe, expect, test } from 'vitest';
import { buildGraphqlSchema } from '../../src/api/graphql/schema.js';
import { badValues } from '../support/bad-values.js';
import { Refusals, words } from '../support/refusals.js';
import { RestApi } from '../support/rest-api.js';

const api = await RestApi.open();
const { id } = await api.webhook();
const refusals = await Refusals.of(api);
afterAll(() => api[Symbol.asyncDispose]());

const json = { 'content-type': 'application/json' };
const withId = (line: string) => line.replace(':id', String(id));
const good: Record<string, object> = {
  'POST /webhooks': { url: 'https://example.com/', events: ['*'] },
  'PATCH /webhooks/:id': { active: false },
};

describe.each(Object.entries(good))('the body of %s', (line, whole) => {
  const send = (payload: string | Buffer, headers: Record<string, string> = json, statuses = [400]) =>
    refusals.expect(withId(line), { payload, headers }, statuses);

  test('is refused when it is not JSON', async () => {
    const texts = [
      ...words(`{ } [ ] " ' {}{} {,} {"url"} {"url":} {"active":true,} {'active':true} {active:true} {"active":True}
        NaN undefined {"active":NaN} {"active":01} {"active":+1} {"active":.5} {"active":1e} //{} {"a":1}//
        active=true <a/>`),
      ...['', ' ', '\n', '"\u0001"', '"\\x"', '"\\u12"', '\ufeff\ufeff{}', '---\na: 1', '\u0000'],
    ];
    const bytes = ['ff', 'feff', '22ff22', '22c08022', '22eda08022', '22f490808022', '1f8b0800'];
    for (const text of [...texts, ...bytes.map((hex) => Buffer.from(hex, 'hex'))]) {
      await send(text);
    }
  });

  test('is refused for its type, encoding and length', async () => {
    const text = JSON.stringify(whole);
    const types = words(`text/plain text/json application/xml application/x-www-form-urlencoded application/jsonx
      application/json-patch+json application/graphql ;;; */* json / application/`);
    for (const type of [...types, 'multipart/form-data; boundary=x']) {
      await send(text, { 'content-type': type }, [415]);
    }
    await send('x'.repeat(65_537), json, [413]);
    await send(`{"url": "${'x'.repeat(70_000)}"}`, json, [413]);
    await send(`${'['.repeat(30_000)}${']'.repeat(30_000)}`, json, [422]);
    await send(text, { ...json, 'content-length': String(text.length + 1) }, [400]);
    await send(text, { ...json, 'content-length': String(text.length - 1) }, [400]);
  });

  test('is refused when it is another kind of JSON, or has other members', async () => {
    for (const value of [null, true, false, 0, -1, '', 'x', [], [whole], [[]], {}, { data: whole }]) {
      await refusals.expect(withId(line), { json: value }, [422]);
    }
    const names = words(`secret id Active URL held event eventTypes constructor toString a/b~c consecutive_failures
      disabled_at tenant_id`);
    // A change ignores the fields that only answers have.
    const ignored = line.startsWith('PATCH') ? ['id', 'consecutive_failures'] : [];
    const refused = names.filter((name) => !ignored.includes(name));
    for (const name of [...refused, '', ' ', '\u0000', '\ud800', 'x'.repeat(400)]) {
      await refusals.expect(withId(line), { json: { ...whole, [name]: 1 } }, [422]);
    }
    await send(JSON.stringify(whole).replace('{', '{"__proto__": {"active": true}, '), json, [422]);
    // Of members that stand there twice the last one counts, as everywhere in JavaScript: here it is the bad one.
    await send('{"url": "https://example.com/", "url": "x", "events": ["*"]}', json, [422]);
    await send('{"active": true, "active": "x"}', json, [422]);
  });

  test('is refused for each wrong value of each member', async () => {
    const schema = await buildGraphqlSchema();
    const input = schema.getType('CreateWebhookInput') as never as { getFields(): Record<string, { type: never }> };
    const { url, eventTypes } = input.getFields();
    const bad = [
      ...[...badValues(url!.type, 'url')].map(({ value }) => ({ url: value })),
      ...[...badValues(eventTypes!.type, 'eventTypes')].map(({ path, value }) => ({
        events: path.length > 0 ? [value] : value,
      })),
      ...['true', 1, 0, null, {}, [], '', 'x'].map((active) => ({ active })),
    ];
    for (const change of bad) {
      const isAbsent = Object.values(change)[0] === undefined;
      if (!(isAbsent && line.startsWith('PATCH'))) {
        const body = { ...whole, ...change };
        const isTooLong = JSON.stringify(body).length > api.services.config.limits.restBodyBytesMax;
        await refusals.expect(withId(line), { json: body }, [isTooLong ? 413 : 422]);
      }
    }
    for (const number of ['1e999', '-1e999', '123456789012345678901234567890', '0.1e-400', '9223372036854775808']) {
      await send(`{"url": ${number}, "events": [${number}]}`, json, [422]);
    }
  });
});

test('these were at least 250 bad requests, and nothing was written', async () => {
  expect(refusals.count).toBeGreaterThan(250);
  await refusals.expectNothingWritten();
});
