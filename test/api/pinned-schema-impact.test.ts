import { afterAll, describe, expect, test } from 'vitest';
import { makeKey, makeTenant } from '../support/factories.js';
import { dataOf, GraphqlApi } from '../support/graphql-api.js';

/** What another schema of an event type breaks for endpoints that are pinned to a release. */

const api = await GraphqlApi.open();
const platform = await makeKey(api.services, null, ['platform:admin']);
const tenant = await makeTenant(api.services);
afterAll(() => api.close());

const form = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
});
const rename = (path: string, to: string) => [{ op: 'RENAME', path, to }];
const admin = async (name: string, input: object, selection: string) =>
  Object.values(dataOf(await api.by(platform).mutate(name, input, selection)))[0] as never;
const register = (name: string, ...fields: string[]) =>
  admin('registerEventType', { name, description: 'x', schema: form(...fields) }, 'eventType { name }');
const release = (name: string) => admin('createRelease', { name }, 'release { name }');

interface Affected {
  impact: { brokenOptionCount: number; brokenOptions: { webhookId: string; option: string; path: string }[] } | null;
  affectedShapes: { webhookId: string; fields: string[] }[];
}
const change = (name: string, schema: object, more: { converter?: object; dryRun?: boolean } = {}) =>
  admin(
    'updateEventType',
    { name, schema, ...more },
    'impact { brokenOptionCount brokenOptions { webhookId option path } } affectedShapes { webhookId fields }',
  ) as Promise<Affected>;
/** What a dry run finds: options and shapes, with the names that the test has for their endpoints. */
const found = async (endpoints: Record<string, string>, ...changing: Parameters<typeof change>) => {
  const [name, schema, more] = changing;
  const named = new Map(Object.entries(endpoints).map(([as, id]) => [id, as]));
  const { impact, affectedShapes } = await change(name, schema, { ...more, dryRun: true });
  const { brokenOptionCount, brokenOptions } = impact!;
  expect(brokenOptions).toHaveLength(brokenOptionCount);
  return {
    broken: brokenOptions.map(({ webhookId, option, path }) => `${named.get(webhookId)} ${option} ${path}`).sort(),
    shapes: shown(affectedShapes, named),
  };
};
const shown = (shapes: Affected['affectedShapes'], named: Map<string, string>) =>
  shapes.map(({ webhookId, fields }) => `${named.get(webhookId)} ${fields}`).sort();
const endpoint = async (eventType: string, content: object, more: object = {}): Promise<string> => {
  const input = { url: 'https://receiver.example.com/', eventTypes: [eventType], content, ...more };
  return dataOf(await api.by(tenant).mutate('createWebhook', input, 'webhook { id }')).createWebhook.webhook.id;
};
const shape = (type: string, field: string) => ({ shape: `subscription { event { ... on ${type} { ${field} } } }` });
const template = (field: string) => ({ format: 'TEMPLATE', template: { value: `{{${field}}}` } });
const text = (field: string) => ({ format: 'SLACK', text: `{{${field}}}` });

describe('a schema with a converter', () => {
  test('breaks what newest payloads are asked for, and nothing that a release converts', async () => {
    await register('impact.converted', 'mail');
    await release('converted-1');
    const pinned = { release: 'converted-1' };
    const endpoints = {
      shaped: await endpoint('impact.converted', shape('ImpactConverted', 'mail')),
      'pinned shape': await endpoint('impact.converted', { ...pinned, ...shape('ImpactConverted', 'mail') }),
      'pinned text': await endpoint('impact.converted', { ...pinned, ...text('mail') }),
      'pinned template': await endpoint('impact.converted', { ...pinned, ...template('mail') }),
    };
    const converter = rename('email', 'mail');
    const of = () => found(endpoints, 'impact.converted', form('email'), { converter });
    expect(await of()).toEqual({ broken: ['shaped SHAPE mail'], shapes: ['shaped mail'] });
    expect(await found(endpoints, 'impact.converted', form('email'))).toEqual({
      broken: [
        'pinned shape SHAPE mail',
        'pinned template TEMPLATE mail',
        'pinned text TEXT mail',
        'shaped SHAPE mail',
      ],
      shapes: ['pinned shape mail', 'shaped mail'],
    });
    const made = await change('impact.converted', form('email'), { converter });
    expect(made).toEqual({ impact: null, affectedShapes: [{ webhookId: endpoints.shaped, fields: ['mail'] }] });
    // The present schema again: nothing changes, and what is asked of newest payloads is missing still.
    const again = await change('impact.converted', form('email'), { dryRun: true });
    expect(again).toEqual({ impact: null, affectedShapes: made.affectedShapes });
  });

  test('breaks filters and ordering keys of pinned endpoints, which see events as they are emitted', async () => {
    await register('impact.filtered', 'mail');
    await release('filtered-1');
    const filter = { field: { path: 'mail', op: 'EQ', value: 'x' } };
    const ordering = { by: 'KEY', keyPath: 'mail' };
    const endpoints = {
      pinned: await endpoint('impact.filtered', { release: 'filtered-1', filter, ...text('mail') }, { ordering }),
    };
    const more = { converter: rename('email', 'mail') };
    expect((await found(endpoints, 'impact.filtered', form('email'), more)).broken).toEqual([
      'pinned FILTER mail',
      'pinned ORDERING_KEY mail',
    ]);
  });

  test('breaks an endpoint whose release does not have the type', async () => {
    await release('before-1');
    await register('impact.later', 'mail');
    const content = { release: 'before-1', ...shape('ImpactLater', 'mail') };
    const endpoints = { pinned: await endpoint('impact.later', content) };
    const more = { converter: rename('email', 'mail') };
    expect(await found(endpoints, 'impact.later', form('email'), more)).toEqual({
      broken: ['pinned SHAPE mail'],
      shapes: ['pinned mail'],
    });
  });
});

describe('a schema without a converter', () => {
  test('breaks what the payloads of the release have, and not what they lack already', async () => {
    await register('impact.ending', 'mail', 'id');
    await release('ending-1');
    const pinned = (of: object) => endpoint('impact.ending', { release: 'ending-1', ...of });
    await change('impact.ending', form('email', 'id'), { converter: rename('email', 'mail') });
    const endpoints = {
      old: await pinned(template('mail')),
      'old shape': await pinned(shape('ImpactEnding', 'mail payload_id')),
      wrong: await pinned(template('email')),
      newest: await endpoint('impact.ending', { release: null, ...template('email') }),
    };
    expect(await found(endpoints, 'impact.ending', form('address', 'id'))).toEqual({
      broken: ['newest TEMPLATE email', 'old TEMPLATE mail', 'old shape SHAPE mail'],
      shapes: ['old shape mail'],
    });
    // The same fields as before: the newest breaks alone.
    expect(await found(endpoints, 'impact.ending', form('mail', 'id'))).toEqual({
      broken: ['newest TEMPLATE email'],
      shapes: [],
    });
    const made = await change('impact.ending', form('address', 'id'));
    expect(made.affectedShapes).toEqual([{ webhookId: endpoints['old shape'], fields: ['mail'] }]);
    // There is no way back over this version, so a converter to it leads no further.
    await change('impact.ending', form('place', 'id'), { converter: rename('place', 'address') });
    const late = await pinned(template('address'));
    expect(await found({ ...endpoints, late }, 'impact.ending', form('x', 'id'))).toEqual({
      broken: ['late TEMPLATE address'],
      shapes: ['old shape mail'],
    });
  });
});
