import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { makeKey, makeTenant, type TestTenant } from '../support/factories.js';
import { gid } from '../support/ids.js';
import { expectProblem, RestApi } from '../support/rest-api.js';

/** Which events a webhook gets: `content.filter`. What filters mean is in test/operations/filters.test.ts. */

const api = await RestApi.open();
afterAll(() => api[Symbol.asyncDispose]());

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await makeTenant(api.services);
});

const ask = async (query: string, variables: object = {}) =>
  (await api.ask('POST //graphql', { json: { query, variables }, key: tenant.key })).body;
const read = async (query: string, variables: object = {}) => {
  const { data, errors } = await ask(query, variables);
  expect(errors).toBeUndefined();
  return data;
};
const shown = 'content { filter warnings { code message path eventType types } } version';
const update = (id: number, change: object) =>
  ask(`mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { ${shown} } } }`, {
    input: { id: gid.webhook(id), ...change },
  });
const changed = async (id: number, filter: unknown) => {
  const { data, errors } = await update(id, { content: { filter } });
  expect(errors).toBeUndefined();
  return data.updateWebhook.webhook;
};
const make = async (more: object = {}) => {
  const json = { url: 'https://a.example.com/', events: ['*'], ...more };
  return (await api.ask('POST /webhooks', { json, key: tenant.key })).body.data.id as number;
};
const patch = (id: number, content: unknown) =>
  api.ask(`PATCH /webhooks/${id}/options`, { json: { content }, key: tenant.key });
const optionsOf = async (id: number) => {
  const { filter, warnings } = (await api.ask(`GET /webhooks/${id}/options`, { key: tenant.key })).body.data.content;
  return { filter, warnings };
};
const emit = async (payload: object, event = 'coupon.applied') => {
  const query = `mutation ($input: EmitEventInput!) { emitEvent(input: $input) { event { id } deliveryCount } }`;
  const { emitEvent } = await read(query, { input: { event, body: JSON.stringify(payload) } });
  return { id: emitEvent.event.id as string, deliveries: emitEvent.deliveryCount as number };
};
const field = (path: string, op: string, value?: unknown) => ({ field: { path, op, value } });
const fixed = field('discount_type', 'EQ', 'fixed');
const coupon = { code: 'SUMMER', discount_type: 'fixed' };

describe('a filter', () => {
  test('is written and read in GraphQL and REST alike, and decides which events a webhook gets', async () => {
    const id = await make();
    expect(await optionsOf(id)).toEqual({ filter: null, warnings: [] });
    const both = { all: [fixed, { not: field('code', 'STARTS_WITH', 'TEST') }] };
    const first = await changed(id, both);
    expect(first.content).toEqual({ filter: both, warnings: [] });
    expect(await optionsOf(id)).toEqual({ filter: both, warnings: [] });
    expect((await changed(id, both)).version).toBe(first.version);
    expect((await emit(coupon)).deliveries).toBe(1);
    expect((await emit({ ...coupon, code: 'TEST-1' })).deliveries).toBe(0);
    expect((await emit({ ...coupon, discount_type: 'percent' })).deliveries).toBe(0);
    expect((await patch(id, { filter: { any: [fixed] } })).body.data.content.filter).toEqual({ any: [fixed] });
    expect((await emit({ ...coupon, code: 'TEST-1' })).deliveries).toBe(1);
    expect((await patch(id, { filter: null })).body.data.content).toMatchObject({ filter: null, warnings: [] });
    expect((await emit({ ...coupon, discount_type: 'percent' })).deliveries).toBe(1);
    const made = await make({ options: { content: { filter: fixed } } });
    expect((await emit({ ...coupon, discount_type: 'percent' })).deliveries).toBe(1);
    await patch(made, null);
    expect(await optionsOf(made)).toEqual({ filter: null, warnings: [] });
  });

  test('applies from the first event of a webhook that is created with it, and creates none where it is wrong', async () => {
    const create = (filter: unknown) =>
      ask(`mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { ${shown} } } }`, {
        input: {
          url: 'https://a.example.com/',
          eventTypes: ['*'],
          content: { filter, format: 'SLACK', text: '{{code}}' },
          ordering: { by: 'KEY', keyPath: 'code' },
        },
      });
    expect((await create(field('a..b', 'EQ', 1))).errors[0].extensions.code).toBe('BAD_USER_INPUT');
    expect((await emit(coupon)).deliveries).toBe(0);
    expect((await create(fixed)).data.createWebhook.webhook.content).toEqual({ filter: fixed, warnings: [] });
    expect((await emit({ ...coupon, discount_type: 'percent' })).deliveries).toBe(0);
    expect((await emit(coupon)).deliveries).toBe(1);
  });

  test('is refused where it is wrong, in REST by pointer', async () => {
    const id = await make();
    const wrong = { all: [fixed, { any: [field('a[0]', 'EQ', 1), field('b', 'GT', null)] }] };
    const { errors } = await update(id, { content: { filter: wrong } });
    const issues = errors[0].extensions.errors.map((one: Record<string, string[]>) => [one['path'], one['code']]);
    const place = ['input', 'content', 'filter', 'all', 1, 'any'];
    expect(issues).toEqual([
      [[...place, 0, 'field', 'path'], 'filter_path_malformed'],
      [[...place, 1, 'field', 'value'], 'filter_value_type'],
    ]);
    const pointers = async (filter: unknown) => {
      const answer = await patch(id, { filter });
      expectProblem(answer, 'invalid_input');
      return answer.body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`);
    };
    expect(await pointers(wrong)).toEqual([
      '/content/filter/all/1/any/0/field/path filter_path_malformed',
      '/content/filter/all/1/any/1/field/value filter_value_type',
    ]);
    expect(await pointers({ all: Array(21).fill(fixed) })).toEqual(['/content/filter/all filter_too_large']);
    // What is too large is refused for that alone: its other faults are not looked for.
    const bad = field('a[0]', 'EQ', 'x'.repeat(50));
    expect(await pointers({ any: Array(20).fill({ any: Array(20).fill(bad) }) })).toEqual([
      '/content/filter filter_too_large',
    ]);
    expect(await pointers({ and: [] })).toEqual(['/content/filter/and unknown_property']);
    expect(await pointers('status')).toEqual(['/content/filter invalid_type']);
    expect(await pointers({ field: { path: 'a', op: ['EQ'], value: 1 } })).toEqual([
      '/content/filter/field/op invalid_value',
    ]);
    const inWebhook = { url: 'https://a.example.com/', events: ['*'], options: { content: { filter: {} } } };
    const refused = await api.ask('POST /webhooks', { json: inWebhook, key: tenant.key });
    expect(refused.body.errors[0]).toMatchObject({ pointer: '/options/content/filter', code: 'exactly_one' });
    expect(await optionsOf(id)).toEqual({ filter: null, warnings: [] });
  });

  test('is not asked while the searched texts of all webhooks would take long to compile', async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `${index} `.padEnd(256, 'x'));
    const filter = { any: texts.map((text) => field('code', 'CONTAINS', text)) };
    for (let count = 0; count < 9; count += 1) {
      await make({ options: { content: { filter } } });
    }
    expect((await emit(coupon)).deliveries).toBe(0);
    await make({ options: { content: { filter } } });
    expect((await emit(coupon)).deliveries).toBe(10);
  });

  test('that is nested without end is bad input, however it comes', async () => {
    const id = await make();
    const deep = (levels: number) => `${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`;
    const query = 'mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { id } } }';
    const headers = { 'content-type': 'application/json' };
    for (const levels of [60, 5_000]) {
      const content = `{"filter":${deep(levels)}}`;
      const variables = `{"input":{"id":"${gid.webhook(id)}","content":${content}}}`;
      const payload = `{"query":${JSON.stringify(query)},"variables":${variables}}`;
      const { body } = await api.ask('POST //graphql', { payload, headers, key: tenant.key });
      expect(body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
      const options = { payload: `{"content":${content}}`, headers, key: tenant.key };
      expectProblem(await api.ask(`PATCH /webhooks/${id}/options`, options), 'invalid_input');
    }
    const literal = `${'{not:'.repeat(100)}{}${'}'.repeat(100)}`;
    const { errors } = await ask(
      `mutation { updateWebhook(input: { id: "${gid.webhook(id)}", content: { filter: ${literal} } }) { webhook { id } } }`,
    );
    expect(errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });

  test('warns of paths that no subscribed type has in its schema, and of values of another type', async () => {
    const id = await make({ events: ['coupon.applied'] });
    const { content } = await changed(id, { any: [fixed, field('total.amount', 'GT', 5), field('code', 'EQ', 5)] });
    const [path, type] = [
      {
        code: 'path_not_in_schema',
        message: 'No subscribed event type has total.amount in its schema.',
        path: 'total.amount',
        types: null,
      },
      {
        code: 'value_type_not_in_schema',
        message:
          'code is a string in the schemas of the subscribed event types: a comparison with a number never matches it.',
        path: 'code',
        types: ['string'],
      },
    ];
    expect(content.warnings).toEqual([path, type].map((one) => ({ ...one, eventType: null })));
    expect((await optionsOf(id)).warnings).toEqual([path, type].map((one) => ({ ...one, event: null })));
  });

  test('says what a condition lacks, and which operator is meant', async () => {
    const id = await make();
    const details = async (condition: object) => {
      const [{ pointer, code, detail }] = (await patch(id, { filter: { field: condition } })).body.errors;
      return `${pointer.replace('/content/filter/field/', '')} ${code}: ${detail}`;
    };
    expect(await details({ path: 'a', op: 'EQ' })).toMatch(/^value required: is required: EQ takes a text of/);
    expect(await details({ path: 'a', op: 'EXISTS', value: 1 })).toBe(
      'value filter_value_type: must be left out: EXISTS takes no value',
    );
    expect(await details({ path: 'a', op: 'IN', value: 'b' })).toMatch(/: is a string, but IN takes a list of 1 to 50/);
    expect(await details({ path: 'a', value: 1 })).toMatch(/^op required: is required: one of EQ, NE,/);
    const ops =
      'must be one of EQ, NE, GT, GE, LT, LE, IN, NOT_IN, EXISTS, MISSING, STARTS_WITH, CONTAINS, CHANGED, CHANGED_FROM, ' +
      'CHANGED_TO';
    expect(await details({ path: 'a', op: '=', value: 1 })).toBe(`op invalid_value: ${ops}; did you mean EQ?`);
    const { errors } = await update(id, { content: { filter: field('a', 'startsWith', 'b') } });
    expect(errors[0].message).toBe(`input.content.filter.field.op: ${ops}; did you mean STARTS_WITH?`);
    const written = await ask(
      `mutation { updateWebhook(input: { id: "${gid.webhook(id)}", content: { filter: { field: {
         path: "a", op: "EQ", value: 1 } } } }) { webhook { id } } }`,
    );
    expect(written.errors[0].message).toBe(`A FilterOp ${ops}; did you mean EQ? Enum values have no quotes.`);
  });

  test('goes with its webhook, and is left out of what tenants may write if the operator says so', async () => {
    const id = await make({ options: { content: { filter: fixed } } });
    await api.ask(`DELETE /webhooks/${id}`, { key: tenant.key });
    const { rows } = await api.owner.query(
      `select o.filter, o.filter_path, w.plain, t.uses_flow from hookwright.webhook_options o
       join hookwright.webhooks w on w.id = o.webhook_id join hookwright.tenants t on t.id = w.tenant_id
       where o.webhook_id = $1`,
      [id],
    );
    expect(rows).toEqual([{ filter: null, filter_path: null, plain: true, uses_flow: false }]);
    await using narrow = await RestApi.open({ ENDPOINT_OPTIONS: 'headers' });
    const webhook = await narrow.webhook();
    const json = { content: { filter: fixed } };
    expectProblem(await narrow.ask(`PATCH /webhooks/${webhook.id}/options`, { json }), 'option_not_allowed');
  });
});

describe('an event that a filter keeps from a webhook', () => {
  const entry = async (eventId: string, webhookId: number) => {
    const { event } = await read(
      `query ($id: ID!) { event(id: $id) { fanOut { edges { node {
         webhookId reason failedCondition { path op value negated pointer } delivery { id } } } } } }`,
      { id: eventId },
    );
    const entries = event.fanOut.edges.map(({ node }: { node: object }) => node);
    return entries.find((one: { webhookId: string }) => one.webhookId === gid.webhook(webhookId));
  };

  test('says which condition it did not meet, by the filter that the webhook had at that time', async () => {
    const [id, without] = [await make({ metadata: undefined }), await make()];
    const before = await emit({ ...coupon, discount_type: 'percent' });
    await changed(id, { all: [{ not: field('code', 'EQ', 'TEST') }, fixed] });
    const filtered = await emit({ ...coupon, discount_type: 'percent' });
    const negated = await emit({ ...coupon, code: 'TEST' });
    // A key of this name in other options is not the filter.
    await api.ask(`PATCH /webhooks/${id}/options`, { json: { metadata: { filter: 'a' } }, key: tenant.key });
    await api.ask(`PATCH /webhooks/${id}/options`, { json: { metadata: { filter: 'b' } }, key: tenant.key });
    await changed(id, field('code', 'MISSING'));
    await changed(id, null);
    const reason = { reason: 'FILTERED', delivery: null };
    expect(await entry(filtered.id, id)).toMatchObject({
      ...reason,
      failedCondition: { path: 'discount_type', op: 'EQ', value: 'fixed', negated: false, pointer: '/all/1/field' },
    });
    expect(await entry(negated.id, id)).toMatchObject({
      ...reason,
      failedCondition: { path: 'code', op: 'EQ', value: 'TEST', negated: true, pointer: '/all/0/not/field' },
    });
    expect(await entry(filtered.id, without)).toMatchObject({ reason: null, failedCondition: null });
    expect((await entry(before.id, id)).delivery).not.toBeNull();
  });

  test('is replayed only with includeFiltered', async () => {
    const id = await make({ options: { content: { filter: fixed } } });
    await emit(coupon);
    await emit({ ...coupon, discount_type: 'percent' });
    const replayed = async (more: object = {}) => {
      const query = `mutation ($input: ReplayEventsInput!) { replayEvents(input: $input) { total } }`;
      const filter = { since: new Date(Date.now() - 60_000).toISOString() };
      const input = { webhookId: gid.webhook(id), filter, dryRun: true, includeDelivered: true, ...more };
      return (await read(query, { input })).replayEvents.total;
    };
    expect(await replayed()).toBe(1);
    expect(await replayed({ includeFiltered: true })).toBe(2);
    await changed(id, null);
    expect(await replayed()).toBe(2);
  });

  test('is sent all the same as a test', async () => {
    const id = await make({ options: { content: { filter: fixed } } });
    const query = `mutation ($input: TestWebhookInput!) { testWebhook(input: $input) { delivery { status } } }`;
    const { testWebhook } = await read(query, { input: { id: gid.webhook(id), eventType: 'webhook.test' } });
    expect(testWebhook.delivery.status).toBe('PENDING');
  });
});

describe('a preview', () => {
  const query = `query ($input: PreviewContentInput!) { previewContent(input: $input) { matched total samples {
    event { id payload } matches failedCondition { path pointer } } } }`;
  const preview = async (input: object) => (await read(query, { input })).previewContent;
  const codesOf = async (input: object) => {
    const { errors } = await ask(query, { input });
    return errors[0].extensions.errors?.map(({ code }: { code: string }) => code) ?? [errors[0].extensions.code];
  };

  test('counts the newest events that a webhook would get, also by content that is not saved', async () => {
    const id = await make({ options: { content: { filter: fixed } } });
    for (let index = 0; index < 8; index += 1) {
      await emit({ code: `C${index}`, discount_type: index % 2 === 0 ? 'fixed' : 'percent' });
    }
    const saved = await preview({ webhookId: gid.webhook(id) });
    expect([saved.matched, saved.total]).toEqual([4, 8]);
    expect(saved.samples.map((one: { matches: boolean }) => one.matches)).toEqual(
      [...'nynynyny'].map((x) => x === 'y'),
    );
    expect(saved.samples[0]).toMatchObject({
      event: { payload: { code: 'C7' } },
      failedCondition: { path: 'discount_type', pointer: '/field' },
    });
    const other = await preview({
      webhookId: gid.webhook(id),
      content: { filter: field('code', 'EQ', 'C7') },
      last: 3,
    });
    expect([other.matched, other.total]).toEqual([1, 3]);
    const none = await preview({ webhookId: gid.webhook(id), content: { filter: null } });
    expect([none.matched, none.total, none.samples.length]).toEqual([8, 8, 5]);
    const types = await preview({ eventTypes: ['booking.created'] });
    expect([types.matched, types.total]).toEqual([0, 0]);
    expect(await optionsOf(id)).toMatchObject({ filter: fixed });
  });

  test('judges one event, or a payload that was never emitted', async () => {
    const { id } = await emit(coupon);
    const content = { filter: field('@type', 'NE', 'coupon.applied') };
    expect(await preview({ content, eventId: id })).toMatchObject({
      matched: 0,
      total: 1,
      samples: [{ event: { id }, matches: false, failedCondition: { path: '@type' } }],
    });
    const input = { content, eventTypes: ['booking.created'], payload: { a: 1 } };
    expect(await preview(input)).toEqual({
      matched: 1,
      total: 1,
      samples: [{ event: null, matches: true, failedCondition: null }],
    });
  });

  test('of what is wrong, foreign or too much is refused', async () => {
    expect(await codesOf({ last: 0 })).toEqual(['out_of_range']);
    expect(await codesOf({ last: 1_001 })).toEqual(['out_of_range']);
    expect(await codesOf({ last: 1, payload: {} })).toEqual(['contradiction']);
    expect(await codesOf({ eventTypes: ['no.such.type'] })).toEqual(['event_type_unknown']);
    expect(await codesOf({ content: { filter: field('a b', 'EXISTS') } })).toEqual(['filter_path_malformed']);
    const { id } = await emit(coupon);
    const mine = gid.webhook(await make());
    tenant = await makeTenant(api.services);
    expect(await codesOf({ eventId: id })).toEqual(['NOT_FOUND']);
    expect(await codesOf({ webhookId: mine })).toEqual(['NOT_FOUND']);
    const { key } = await makeKey(api.services, tenant.id, ['webhooks:read']);
    tenant = { ...tenant, key };
    expect(await codesOf({})).toEqual(['FORBIDDEN']);
  });

  test('costs 1 for each event', async () => {
    const costly = `query ($input: PreviewContentInput!) { ${Array.from({ length: 15 }, (_, index) => `p${index}: previewContent(input: $input) { total }`).join(' ')} }`;
    expect((await ask(costly, { input: { last: 1_000 } })).errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect((await ask(costly, { input: { last: 10 } })).errors).toBeUndefined();
  });
});
