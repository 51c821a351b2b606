import { describe, expect, test } from 'vitest';
import { readPortalLink, safeReturnUrl } from '../../dashboard/portal/links.js';

describe('the link of a portal session', () => {
  const origin = 'https://hooks.example.com';

  test('is a path that takes the code, and the code', () => {
    const read = { path: '/portal/s/a-B_9', code: 'c0de', place: '/', failures: 0 };
    expect(readPortalLink(`${origin}/portal/s/a-B_9#c0de`, origin)).toEqual({ ...read, isInvitation: false });
    expect(readPortalLink(`${origin}/portal/i/a-B_9#c0de`, origin)).toEqual({ ...read, isInvitation: true });
    const place = '/deliveries?status=FAILED&text=a/b';
    expect(readPortalLink(`${origin}/portal/s/a-B_9#c0de${place}`, origin)).toMatchObject({ code: 'c0de', place });
    expect(readPortalLink(`${origin}/portal/s/a-B_9?failures=2#c0de`, origin)).toEqual({
      ...read,
      failures: 2,
      isInvitation: false,
    });
  });

  test.each([
    ['of another origin', 'https://evil.example.com/portal/s/a#c'],
    ['of another scheme', 'http://hooks.example.com/portal/s/a#c'],
    ['with another path', `${origin}/portal/s/a/../../../graphql#c`],
    ['with another kind', `${origin}/portal/x/a#c`],
    ['with another page', `${origin}/portal/endpoints#c`],
    ['without a code', `${origin}/portal/s/a`],
    ['with a path alone', `${origin}/portal/s/a#/deliveries`],
    ['that is not a url', '/portal/s/a#c'],
    ['that is a script', 'javascript:alert(1)//portal/s/a#c'],
  ])('is not a text %s', (_, url) => {
    expect(readPortalLink(url, origin)).toBeNull();
  });
});

describe('a person is led', () => {
  test.each([
    'https://app.example.com/settings?tab=1',
    'http://localhost:8080/settings',
    'http://app.localhost/',
    'http://127.0.0.1:8080/',
    'http://[::1]:8080/',
  ])('to %s', (url) => {
    expect(safeReturnUrl(url)).toBe(url);
  });

  test.each([
    'javascript:alert(1)',
    'data:text/html,hi',
    'http://app.example.com/',
    'http://127.0.0.1.example.com/',
    'http://localhost.example.com/',
    '//app.example.com/',
    '',
    null,
    undefined,
  ])('not to %s', (url) => {
    expect(safeReturnUrl(url)).toBeNull();
  });
});
