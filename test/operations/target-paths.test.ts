import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinedPath } from '../../src/domain/addresses/joined-path.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { innerUrls, leadToCanary, onIpv6, otherHosts } from '../support/inner-urls.js';

let stack: DeliveryStack;
beforeAll(async () => {
  stack = await DeliveryStack.open();
});
afterAll(() => stack[Symbol.asyncDispose]());

/** Postgres' text has no NUL, and none comes through JSON either. */
const judged = async (paths: readonly string[]): Promise<boolean[]> => {
  const { rows } = await stack.services.db.pool.query<{ ok: boolean }>(
    `select hookwright.is_target_path(path) as ok from unnest($1::text[]) with ordinality as p(path, ord) order by ord`,
    [paths.map((path) => path.replaceAll('\0', '\u0001'))],
  );
  return rows.map(({ ok }) => ok);
};

/** Other places than they show, to somebody: the url's rules, servers and proxies that decode, and Java's parameters. */
const refused = [
  ...[...leadToCanary, ...onIpv6, ...otherHosts].map((host) => `//${host}/x`),
  ...innerUrls,
  ...[
    '',
    'x',
    '?x',
    '..',
    '/..',
    '/.',
    '/../x',
    '/a/../b',
    '/a/./b',
    '/a/..',
    '/a//b',
    '/a/',
    '//',
    '/\\x',
    '\\x',
    '/a\\..\\b',
  ],
  ...[
    '/%2e%2e/x',
    '/%2E./x',
    '/.%2e',
    '/a%2fb',
    '/a%2F..%2Fb',
    '/a%5cb',
    '/%5C',
    '/..;/x',
    '/..;a=1/x',
    '/.;/x',
    '/a/..;',
  ],
  ...[
    '/a#b',
    '/#',
    '/a b',
    '/a\tb',
    '/a\nb',
    '/a\r\nHost: x',
    '/a%0d%0aHost:%20x',
    '/a?b%0a',
    '/a%00',
    '/a%7f',
    '/%',
    '/%2',
  ],
  ...['/%zz', '/é', '/a?é', '/"', '/<', '/a|b', '/{x}', '/^', '/`', '/a?b#c', '/a?"', '/a?\\', '/\u2028', '/．．/x'],
  ...['@127.0.0.1/x', ':80/x', '.evil.example/x', `/${'x'.repeat(1_024)}`],
].filter((path) => path !== '/a/');

test(`${refused.length} spellings of paths are refused`, async () => {
  expect(refused.length).toBeGreaterThanOrEqual(155);
  const found = await judged(refused);
  expect(refused.filter((_, index) => found[index])).toEqual([]);
});

test.each([
  ['/hooks', '/a', '/hooks/a'],
  ['/', '/a', '/a'],
  ['/hooks/', '/a/', '/hooks/a/'],
  ['/hooks?key=1', '/actions/7f3?x=1', '/hooks/actions/7f3?key=1&x=1'],
  ['/hooks?', '/a?', '/hooks/a'],
  ['/hooks', '/', '/hooks/'],
  ['/h', "/a.b/..c/...;x=1/@b:1!$&'()*+,;=/%20%C3%A9", "/h/a.b/..c/...;x=1/@b:1!$&'()*+,;=/%20%C3%A9"],
  ['/h', '/a?next=https://x.example//../%2f?y', '/h/a?next=https://x.example//../%2f?y'],
  ['/h', `/${'x'.repeat(1_023)}`, `/h/${'x'.repeat(1_023)}`],
])('behind %s, %s is accepted, and stays there for everybody who reads it', async (base, path, expected) => {
  expect(await judged([path])).toEqual([true]);
  const joined = joinedPath(base, path);
  expect(joined).toBe(expected);
  const { href } = new URL(`https://hooks.example.com${joined}`);
  expect(href).toBe(`https://hooks.example.com${joined}`);
});
