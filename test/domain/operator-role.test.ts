import { describe, expect, test } from 'vitest';
import { operatorScope, sessionName } from '../../src/domain/keys/operator-role.js';

const values = { admin: ['root', '/ops/admins'], support: ['helpers'], viewer: ['staff'] };

describe('a person from an OpenID provider', () => {
  test.each<[string, Record<string, unknown>, string | null]>([
    ['a list', { groups: ['other', 'staff'] }, 'platform:read'],
    ['a text', { groups: 'helpers' }, 'platform:support'],
    ['a list with several roles', { groups: ['staff', 'helpers', 'root'] }, 'platform:admin'],
    ['a value like a path', { groups: ['/ops/admins'] }, 'platform:admin'],
    ['no value of a role', { groups: ['Staff', 'staffs', 'sta', ''] }, null],
    ['an empty list', { groups: [] }, null],
    ['a list within the list', { groups: [['root']] }, null],
    ['an object', { groups: { root: true } }, null],
    ['nothing', {}, null],
    ['null', { groups: null }, null],
  ])('has a role by a claim with %s', (_what, claims, scope) => {
    expect(operatorScope(claims, 'groups', values)).toBe(scope);
  });

  test.each<[string, Record<string, unknown>]>([
    ['https://example.com/roles', { 'https://example.com/roles': ['staff'] }],
    ['realm_access.roles', { realm_access: { roles: ['staff'] } }],
    ['realm_access.roles', { 'realm_access.roles': ['staff'], realm_access: { roles: ['root'] } }],
  ])('has a role by the claim that %s names', (name, claims) => {
    expect(operatorScope(claims, name, values)).toBe('platform:read');
    expect(operatorScope({ realm_access: 'staff' }, name, values)).toBe(null);
  });

  test('nobody has a role that no value gives', () => {
    const none = { admin: [], support: [], viewer: ['staff'] };
    expect(operatorScope({ groups: ['root', ''] }, 'groups', none)).toBe(null);
  });

  test('is called in lists of keys by what people know and what the provider guarantees', () => {
    expect(sessionName({ sub: '7', email: 'a@example.com' })).toBe('console: a@example.com (7)');
    expect(sessionName({ sub: '7', email: ' ', preferred_username: 'ann' })).toBe('console: ann (7)');
    expect(sessionName({ sub: '7', email: 'a\u202e@\u200bexample.com' })).toBe('console: a@example.com (7)');
    expect(sessionName({ sub: '7', email: ['x'] })).toBe('console: 7');
    expect(sessionName({ sub: '7', email: 'a\n\u0000\ud800b' })).toBe('console: ab (7)');
    expect(sessionName({ sub: 's'.repeat(300) })).toHaveLength(200);
  });
});
