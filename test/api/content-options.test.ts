import { afterAll, describe, expect, test } from 'vitest';
import { gid } from '../support/ids.js';
import { expectProblem, RestApi } from '../support/rest-api.js';

/** What is sent: the group `content` of a webhook's options. */

const api = await RestApi.open();
afterAll(() => api[Symbol.asyncDispose]());

const ask = async (query: string, variables: object) =>
  (await api.ask('POST //graphql', { json: { query, variables }, key: api.tenant.key })).body;
const update = (id: number, content: object) =>
  ask(
    `mutation ($input: UpdateWebhookInput!) {
       updateWebhook(input: $input) { webhook { content { format text template } version } } }`,
    { input: { id: gid.webhook(id), content } },
  );
const changed = async (id: number, content: object) => (await update(id, content)).data.updateWebhook.webhook;
const refused = async (id: number, content: object) => {
  const { errors } = (await update(id, content)).errors[0].extensions;
  return errors.map(({ path, code }: { path: string[]; code: string }) => `${path.slice(2).join('.')} ${code}`);
};
const contentsOf = async (id: number) => {
  const text = `select format, text, template, ended_at is null as current from hookwright.webhook_contents
                where webhook_id = $1 order by id`;
  return (await api.owner.query(text, [id])).rows;
};

describe('the format', () => {
  test('is changed with what it needs, and each change is another content', async () => {
    const { id } = await api.webhook();
    const first = await changed(id, { format: 'SLACK', text: 'Hello {{name}}' });
    expect(first.content).toEqual({ format: 'SLACK', text: 'Hello {{name}}', template: null });
    expect((await changed(id, { format: 'SLACK', text: 'Hello {{name}}' })).version).toBe(first.version);
    const template = { z: '{{a}}', a: [1, null, { b: true }] };
    expect((await changed(id, { format: 'TEMPLATE', template })).content).toEqual({
      format: 'TEMPLATE',
      text: 'Hello {{name}}',
      template,
    });
    await changed(id, { format: null });
    expect(await contentsOf(id)).toEqual([
      { format: 'SLACK', text: 'Hello {{name}}', template: null, current: false },
      { format: 'TEMPLATE', text: null, template, current: false },
    ]);
    expect((await changed(id, { format: 'DISCORD', text: null })).content.text).toBeNull();
    expect((await contentsOf(id)).at(-1)).toMatchObject({ format: 'DISCORD', text: null, current: true });
  });

  test('is refused without what it needs, and so is what it does not use', async () => {
    const { id } = await api.webhook();
    expect(await refused(id, { format: 'TEMPLATE' })).toEqual(['template template_missing']);
    expect(await refused(id, { text: 'x' })).toEqual(['text content_text_not_used']);
    expect(await refused(id, { format: 'SLACK', template: { a: 1 } })).toEqual(['template template_not_used']);
    expect(await contentsOf(id)).toEqual([]);
  });

  test('names the place of each problem', async () => {
    const { id } = await api.webhook();
    expect(await refused(id, { format: 'SLACK', text: '{{a b}}' })).toEqual(['text content_text_path_malformed']);
    expect(await refused(id, { format: 'SLACK', text: 'x'.repeat(2_001) })).toEqual(['text content_text_too_long']);
    expect(await refused(id, { format: 'TEMPLATE', template: { a: ['{{'], b: '\0' } })).toEqual([
      'template.a.0 template_path_malformed',
      'template.b template_malformed',
    ]);
    expect(await refused(id, { format: 'TEMPLATE', template: 'x' })).toEqual(['template template_no_tree']);
    // What is too large is refused for that alone: its other faults are not looked for.
    expect(await refused(id, { format: 'TEMPLATE', template: Array(200_000).fill('{{') })).toEqual([
      'template template_too_large',
    ]);
  });
});

test('REST has the same, with the places of its body', async () => {
  const { id } = await api.webhook();
  const patch = (content: object) => api.ask(`PATCH /webhooks/${id}/options`, { json: { content } });
  const { body } = await patch({ format: 'TEMPLATE', template: { a: '{{b}}' } });
  expect(body.data.content).toMatchObject({ format: 'TEMPLATE', text: null, template: { a: '{{b}}' } });
  expect((await patch({ format: null, template: null })).body.data.content).toMatchObject({
    format: 'JSON',
    template: null,
  });
  // Chats have a rate of their own.
  expect((await patch({ format: 'SLACK' })).body.data.delivery).toMatchObject({ rate_per_second: 1, own: [] });
  const answer = await patch({ format: 'TEMPLATE', template: { a: ['{{'] } });
  expectProblem(answer, 'invalid_input');
  expect(answer.body.errors).toMatchObject([{ code: 'template_path_malformed', pointer: '/content/template/a/0' }]);
});

test('names placeholders that no subscribed event type has', async () => {
  const { id } = await api.webhook({ url: 'https://example.com/hooks', events: ['coupon.applied'] });
  await changed(id, { format: 'SLACK', text: '{{code}} {{ codes }} {{@type}} {{discount_type.0}}' });
  const { webhook } = (await ask(`{ webhook(id: "${gid.webhook(id)}") { content { warnings { message } } } }`, {}))
    .data;
  expect(webhook.content.warnings).toEqual([{ message: 'No subscribed event type has codes in its schema.' }]);
});

test('a preview has the body and headers that would be sent, or says what is wrong', async () => {
  const { id } = await api.webhook();
  const preview = (content: object) =>
    ask(`query ($input: PreviewContentInput!) { previewContent(input: $input) { samples { matches body headers } } }`, {
      input: { webhookId: gid.webhook(id), content, eventTypes: ['coupon.applied'], payload: { code: '<X>' } },
    });
  expect((await preview({ format: 'SLACK', text: 'Code {{code}}' })).data.previewContent.samples).toEqual([
    { matches: true, body: '{"text":"Code &lt;X&gt;"}', headers: { 'content-type': 'application/json' } },
  ]);
  const [{ headers }] = (await preview({ format: 'CLOUDEVENTS_BINARY' })).data.previewContent.samples;
  expect(headers).toMatchObject({ 'ce-type': 'coupon.applied', 'ce-specversion': '1.0' });
  const field = { path: 'code', op: 'EQ', value: 'Y' };
  expect((await preview({ format: 'SLACK', filter: { field } })).data.previewContent.samples).toEqual([
    { matches: false, body: null, headers: null },
  ]);
  expect((await preview({ format: 'TEMPLATE' })).errors[0].extensions.errors[0].code).toBe('template_missing');
});
