import { describe, expect, test } from 'vitest';
import {
  type Content,
  contentChange,
  contentDraftOf,
  contentOf,
  placeholdersOf,
  unfinishedIn,
} from '../../dashboard/screens/endpoints/content/content-draft.js';
import {
  type FilterDraft,
  filterDraftOf,
  filterOfRows,
  isWhole,
  rowAt,
  rowsOf,
} from '../../dashboard/screens/endpoints/content/filter-rows.js';
import {
  kindsOf,
  readValue,
  type ValueKind,
  valueText,
} from '../../dashboard/screens/endpoints/content/filter-values.js';
import { formatOfUrl } from '../../dashboard/screens/endpoints/content/format-of-url.js';
import { pathAt, schemaPaths } from '../../dashboard/screens/endpoints/content/schema-paths.js';
import type { EventFilter, FilterOp } from '../../src/domain/content/filter.js';
import { namesOf } from '../../src/domain/content/filter-path.js';
import { readFilter } from '../../src/domain/content/read-filter.js';

const paid: EventFilter = { field: { path: 'status', op: 'EQ', value: 'paid' } };
const large: EventFilter = { field: { path: 'total.amount', op: 'GT', value: 1000 } };
const open = () => undefined;
const back = (filter: EventFilter) => filterOfRows(filterDraftOf(filter), open);

describe('a filter in rows', () => {
  test.each<[string, EventFilter]>([
    ['one condition', paid],
    ['conditions that all must match', { all: [paid, large] }],
    ['conditions of which one must match', { any: [paid, large] }],
    ['a list', { field: { path: 'country', op: 'IN', value: ['DE', 'a, b', '7', 7, null] } }],
    ['a field that must exist', { field: { path: '"odd name".x', op: 'EXISTS' } }],
    ['one element of a list', { element: { path: 'lines', match: { all: [paid, large] } } }],
    ['a condition beside one element', { all: [paid, { element: { path: 'lines', match: large } }] }],
    ['values that are not texts', { all: [true, null, -1.5, '', ' ', '"', 'null'].map((value) => valueIs(value)) }],
  ])('is the same again: %s', (_, filter) => {
    expect(filterDraftOf(filter).text).toBeUndefined();
    expect(back(filter)).toEqual(filter);
  });

  test.each<EventFilter>([{ not: paid }, { all: [paid, { any: [paid, large] }] }, { all: [{ not: paid }] }])(
    'cannot show a nested filter, which stays a text: %o',
    (filter) => {
      expect(rowsOf(filter)).toBeUndefined();
      const { text = '' } = filterDraftOf(filter);
      expect(JSON.parse(text)).toEqual(filter);
    },
  );

  test('without a row lets every event pass', () => {
    expect(filterDraftOf(null)).toEqual({ join: 'all', rows: [] });
    expect(filterOfRows({ join: 'any', rows: [] }, open)).toBeNull();
    const blank = { key: 0, path: ' ', op: 'EQ' as const, value: '' };
    expect(filterOfRows({ join: 'any', rows: [blank] }, open)).toBeNull();
  });

  test('is taken by the service once each row has a field, and a value where the comparison needs one', () => {
    const draft: FilterDraft = {
      join: 'all',
      rows: [
        { key: 0, path: ' status ', op: 'STARTS_WITH', value: '1' },
        { key: 1, path: 'total', op: 'MISSING', value: 'left from before' },
      ],
    };
    expect(draft.rows.every(isWhole)).toBe(true);
    expect(readFilter(filterOfRows(draft, open))).toEqual({
      filter: {
        all: [
          { field: { path: 'status', op: 'STARTS_WITH', value: '1' } },
          { field: { path: 'total', op: 'MISSING' } },
        ],
      },
    });
    expect(isWhole({ key: 0, path: '', op: 'EXISTS', value: '' })).toBe(false);
    expect(isWhole({ key: 0, path: 'total', op: 'GT', value: ' ' })).toBe(false);
  });

  test('names the row of a broken rule', () => {
    expect(rowAt(['field', 'path'])).toEqual({ row: 0, at: 'path' });
    expect(rowAt(['any', 2, 'field', 'value'])).toEqual({ row: 2, at: 'value' });
    expect(rowAt([])).toBeUndefined();
    expect(rowAt(['all'])).toBeUndefined();
  });
});

const valueIs = (value: unknown): EventFilter => ({ field: { path: 'x', op: 'EQ', value } });

describe('a typed value', () => {
  test.each<[string, FilterOp, ValueKind[] | undefined, unknown]>([
    ['paid', 'EQ', undefined, 'paid'],
    [' paid ', 'EQ', undefined, 'paid'],
    ['1000', 'EQ', undefined, 1000],
    ['1000', 'EQ', ['text'], '1000'],
    ['1000', 'EQ', ['text', 'null'], '1000'],
    ['null', 'EQ', ['text', 'null'], null],
    ['1000', 'EQ', ['text', 'number'], 1000],
    ['1000', 'EQ', ['boolean'], 1000],
    ['"1000"', 'EQ', ['number'], '1000'],
    ['1,000', 'GT', ['number'], '1,000'],
    ['01', 'EQ', undefined, '01'],
    ['true', 'NE', undefined, true],
    ['null', 'EQ', undefined, null],
    ['"say ""', 'EQ', undefined, '"say ""'],
    ['12', 'CONTAINS', ['number'], '12'],
    ['DE, AT,,CH ', 'IN', undefined, ['DE', 'AT', 'CH']],
    ['1, "2, 3", 4', 'NOT_IN', undefined, [1, '2, 3', 4]],
  ])('%j of %s is read, by the kinds %j of a schema, as %j', (typed, op, kinds, value) => {
    expect(readValue(typed, op, kinds && new Set(kinds))).toEqual(value);
  });

  test('is shown so that it is read as the same', () => {
    expect(valueText('1000', 'EQ')).toBe('"1000"');
    expect(valueText(['DE', 'a, b'], 'IN')).toBe('DE, "a, b"');
    expect(valueText(undefined, 'EXISTS')).toBe('');
  });
});

describe('the fields that are suggested', () => {
  const order = {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      'e-mail address': { type: ['string', 'null'] },
      customer: { type: 'object', properties: { 'vat-id': { type: 'string' } } },
      lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } } } },
      tags: { type: 'array', items: { type: 'string' } },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
    },
  };

  test('are those with a value, as a filter names them', () => {
    const paths = schemaPaths([order]);
    expect(paths.map(({ path }) => path)).toEqual(['"e-mail address"', 'customer.vat-id', 'id', 'lines.sku', 'tags']);
    expect(paths.every(({ path }) => namesOf(path) !== null)).toBe(true);
    expect(pathAt(paths, 'customer."vat-id"')?.path).toBe('customer.vat-id');
    expect(pathAt(paths, 'customer.')).toBeUndefined();
  });

  test('have the kinds of value of all schemas', () => {
    const paths = schemaPaths([order, { type: 'object', properties: { id: { type: 'string' }, tags: {} } }]);
    expect(pathAt(paths, 'id')?.kinds).toEqual(new Set(['number', 'text']));
    expect(pathAt(paths, 'tags')?.kinds).toBeUndefined();
    expect(kindsOf('array of string or null')).toEqual(new Set(['text', 'null']));
    expect(kindsOf('any')).toBeUndefined();
  });
});

describe('a draft of the content', () => {
  const plain: Content = {
    filter: null,
    shape: null,
    release: null,
    format: 'JSON',
    text: null,
    template: null,
    warnings: [],
  };
  const filter = { all: [paid, large] };

  test('changes what somebody has changed, and nothing else', () => {
    const draft = contentDraftOf({ ...plain, filter });
    expect(contentChange(draft, open)).toEqual({});
    expect(contentChange({ ...draft, format: 'SLACK', text: ' ' }, open)).toEqual({ format: 'SLACK' });
    expect(contentChange({ ...draft, filter: { join: 'all', rows: [] } }, open)).toEqual({ filter: null });
    expect(contentChange({ ...draft, shape: 'subscription { event { id } }' }, open)).toEqual({
      shape: 'subscription { event { id } }',
    });
  });

  test('sends a text to chats alone, and a template in its format alone', () => {
    const draft = { ...contentDraftOf(plain), text: 'Paid', template: '{"a": "{{b}}"}' };
    expect(contentChange({ ...draft, format: 'DISCORD' }, open)).toEqual({ format: 'DISCORD', text: 'Paid' });
    const asTemplate = { format: 'TEMPLATE', template: { a: '{{b}}' } };
    expect(contentChange({ ...draft, format: 'TEMPLATE' }, open)).toEqual(asTemplate);
    expect(contentChange(draft, open)).toEqual({});
    const chat = contentDraftOf({ ...plain, format: 'SLACK', text: 'Paid' });
    expect(contentChange({ ...chat, format: 'JSON' }, open)).toEqual({ format: null, text: null });
  });

  test('is not finished while a text is not JSON, or a condition lacks its value', () => {
    const draft = contentDraftOf(plain);
    const row = { key: 0, path: 'status', op: 'EQ' as const, value: '' };
    const drafts = [
      draft,
      { ...draft, filter: { join: 'all' as const, rows: [row] } },
      { ...draft, filter: { join: 'all' as const, rows: [], text: '{' } },
      { ...draft, format: 'TEMPLATE' as const, template: '{' },
    ];
    expect(drafts.map(unfinishedIn)).toEqual([undefined, 'condition', 'filter', 'template']);
    expect(drafts.map((one) => contentOf(one, open) === undefined)).toEqual([false, true, true, true]);
  });

  test('changes a stored value whose type the schema does not have', () => {
    const draft = contentDraftOf({ ...plain, filter: { field: { path: 'zip', op: 'EQ', value: 10115 } } });
    expect(contentChange(draft, open)).toEqual({});
    const texts = () => new Set<ValueKind>(['text']);
    expect(contentChange(draft, texts)).toEqual({ filter: { field: { path: 'zip', op: 'EQ', value: '10115' } } });
  });

  test('has the placeholders of what is sent', () => {
    const draft = { ...contentDraftOf(plain), text: '{{a.b}} {{@id}} {{a.b}} \\{{c}}', template: '[{"d": "{{e}}"}]' };
    expect(placeholdersOf({ ...draft, format: 'SLACK' })).toEqual(['a.b']);
    expect(placeholdersOf({ ...draft, format: 'TEMPLATE' })).toEqual(['e']);
    expect(placeholdersOf(draft)).toEqual([]);
    expect(placeholdersOf({ ...draft, format: 'SLACK', shape: 'subscription { event { id } }' })).toEqual([]);
  });
});

describe('the format of a new endpoint', () => {
  test.each([
    ['https://hooks.slack.com/services/T0/B0/x', 'SLACK'],
    ['https://HOOKS.slack.com', 'SLACK'],
    ['https://hooks.slack.com/triggers/T0/1/x', 'JSON'],
    ['https://discord.com/api/webhooks/1/x', 'DISCORD'],
    ['https://chat.googleapis.com/v1/spaces/AAAAx_-1/messages?key=AIza&token=a%3D', 'GOOGLE_CHAT'],
    ['https://chat.googleapis.com/v1/spaces/AAAA/members', 'JSON'],
    ['https://canary.discordapp.com/api/v10/webhooks/1/x', 'DISCORD'],
    ['https://discord.com/developers', 'JSON'],
    ['https://prod-12.westeurope.logic.azure.com:443/workflows/1/triggers/manual/paths/invoke', 'TEAMS'],
    ['https://default1.d1.environment.api.powerplatform.com:443/powerautomate/x', 'TEAMS'],
    ['https://acme.webhook.office.com/webhookb2/1', 'TEAMS'],
    ['https://hooks.slack.com.example.com/services/T0', 'JSON'],
    ['https://example.com/hooks.slack.com/', 'JSON'],
    ['hooks.slack.com/', 'JSON'],
    ['', 'JSON'],
  ])('follows from the URL %j: %s', (url, format) => {
    expect(formatOfUrl(url)).toBe(format);
  });
});
