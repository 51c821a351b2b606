import { describe, expect, it } from 'vitest';
import { choiceOf, offeredTypes, toggleTypes, treeOf } from '../../dashboard/screens/endpoints/form/event-type-tree.js';
import { urlProblem } from '../../dashboard/screens/endpoints/form/url-check.js';
import { arrange } from '../../dashboard/screens/endpoints/list/endpoint-list.js';

const NOW = Date.parse('2026-03-02T12:00:00Z');
const endpoint = (databaseId: number, facts: object = {}) => ({
  databaseId,
  url: `https://example.com/${databaseId}`,
  active: true,
  consecutiveFailures: 0,
  heldCount: 0,
  eventTypes: ['booking.created'],
  ...facts,
});
const healthy = endpoint(1);
const paused = endpoint(2, { active: false, disabledReason: 'PAUSED', eventTypes: ['*'] });
const backlog = endpoint(3, { heldCount: 4 });
const closed = endpoint(4, { closedUntil: '2026-03-02T12:00:01Z', consecutiveFailures: 1 });
const failing = endpoint(5, { consecutiveFailures: 3, lastFailureAt: '2026-03-02T11:00:00Z' });
const gone = endpoint(6, { active: false, disabledReason: 'GONE' });
const disabled = endpoint(7, { active: false, disabledReason: 'FAILURES', heldCount: 9 });
const newer = endpoint(8, { url: 'https://Hooks.example.com/8', externalId: 'CRM-17' });
const unverified = endpoint(9, { active: false, disabledReason: 'UNVERIFIED' });
const all = [newer, unverified, disabled, gone, failing, closed, backlog, paused, healthy];
const numbers = (wanted: Parameters<typeof arrange>[1]) =>
  arrange(all, wanted, NOW).map(({ databaseId }) => databaseId);

describe('the list of endpoints', () => {
  it('begins with those that need somebody, the most urgent first', () => {
    expect(numbers({})).toEqual([6, 7, 9, 5, 3, 4, 2, 8, 1]);
  });

  it('has those in a state', () => {
    expect(numbers({ state: 'attention' })).toEqual([6, 7, 9, 5]);
    expect(numbers({ state: 'paused' })).toEqual([2]);
    expect(numbers({ state: 'disabled' })).toEqual([6, 7]);
    expect(numbers({ state: 'unverified' })).toEqual([9]);
    expect(numbers({ state: 'unknown' })).toHaveLength(9);
  });

  it('has those that get an event type, and those whose url or external id has a text', () => {
    expect(numbers({ type: 'coupon.applied' })).toEqual([2]);
    expect(numbers({ type: 'booking.created' })).toHaveLength(9);
    expect(numbers({ text: ' hooks.EXAMPLE ' })).toEqual([8]);
    expect(numbers({ text: 'crm-1' })).toEqual([8]);
  });

  it('has another order on request', () => {
    expect(numbers({ sort: 'newest' })).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(numbers({ sort: 'held' }).slice(0, 2)).toEqual([7, 3]);
    expect(numbers({ sort: 'failure' })[0]).toBe(5);
  });
});

describe('a url that is being typed', () => {
  it.each([
    ['https://example.com/hooks', undefined],
    ['https://example.com:8443', undefined],
    ['http://localhost:3000/hooks', undefined],
    ['', 'typing'],
    ['http', 'typing'],
    ['https://', 'typing'],
    ['example.com', 'url_not_absolute'],
    ['https://exa mple.com', 'url_not_absolute'],
    ['http://example.com', 'url_scheme'],
    ['https://me:secret@example.com', 'url_userinfo'],
    ['https://example.com/#part', 'url_fragment'],
    ['https://example.com:1023', 'url_port'],
    ['https://example.com:1024', undefined],
    ['https://intranet/', 'url_host'],
    [`https://example.com/${'x'.repeat(2_028)}`, undefined],
    [`https://example.com/${'x'.repeat(2_029)}`, 'url_too_long'],
  ] as const)('%s: %s', (text, problem) => {
    expect(urlProblem(text)).toBe(problem);
  });
});

describe('the tree of event types', () => {
  const types = ['a.b.created', 'a.b.deleted', 'a.c', 'single', 'x.y.one', 'x.y.two'].map((name) => ({
    name,
    description: `About ${name}`,
  }));
  const shape = (nodes: ReturnType<typeof treeOf>): unknown =>
    nodes.map((node) => ('children' in node ? { [node.prefix]: shape(node.children) } : node.name));

  it('has a branch for each beginning that several share', () => {
    expect(shape(treeOf(types, ''))).toEqual([
      { a: [{ 'a.b': ['a.b.created', 'a.b.deleted'] }, 'a.c'] },
      'single',
      { 'x.y': ['x.y.one', 'x.y.two'] },
    ]);
  });

  it('offers a deprecated type only to an endpoint that is subscribed to it', () => {
    const deprecated = { name: 'a.old', description: '', deprecatedAt: '2026-03-01T00:00:00Z' };
    const names = (subscribed: string[]) => offeredTypes([...types, deprecated], subscribed).map(({ name }) => name);
    expect(names(['*'])).not.toContain('a.old');
    expect(names(['a.c', 'a.old'])).toContain('a.old');
    expect(names([])).toHaveLength(types.length);
  });

  it('has what has all words of a search', () => {
    expect(shape(treeOf(types, 'ABOUT x.y'))).toEqual([{ 'x.y': ['x.y.one', 'x.y.two'] }]);
    expect(treeOf(types, 'about nothing')).toEqual([]);
  });

  it('ticks all of a branch, and none where all are ticked', () => {
    const some = new Set(['a.b.created', 'single']);
    const branch = types.slice(0, 2);
    expect(choiceOf(branch, some)).toBe('some');
    const all = toggleTypes(branch, some);
    expect(choiceOf(branch, all)).toBe('all');
    expect(toggleTypes(branch, all)).toEqual(new Set(['single']));
  });
});
