import { describe, expect, test } from 'vitest';
import type { OAuth2Input } from '../../src/domain/fields/oauth2.js';
import { readAuth } from '../../src/operations/fields/auth-rules.js';
import { innerUrls, leadToCanary, onIpv6, otherHosts } from '../support/inner-urls.js';
import { fc } from '../support/properties.js';
import { addressesIn } from '../support/target-site.js';

const policy = { allowHttp: false, allowedRanges: [], loopbackHttp: false };
const client = { tokenUrl: 'https://id.acme.com/token', clientId: 'hooks', clientSecret: 'b6c2f1' };
const read = (change: Partial<OAuth2Input>, target = policy) =>
  readAuth({ oauth2: { ...client, ...change } }, { headerPrefix: 'X-Service', target });
const problems = (change: Partial<OAuth2Input>, target = policy) => {
  const answer = read(change, target);
  return 'problems' in answer ? answer.problems.map(({ path, code }) => `${path.join('.')} ${code}`) : [];
};
const taken = (change: Partial<OAuth2Input>, target = policy) => {
  const answer = read(change, target);
  return 'auth' in answer ? answer.auth.oauth2 : answer;
};

describe('client credentials', () => {
  test('are taken with the url in its normal form, and without a scope or audience that is empty', () => {
    expect(taken({ tokenUrl: 'HTTPS://Id.Acme.com:443/t?a=b', scope: '', audience: '' })).toEqual({
      ...client,
      tokenUrl: 'https://id.acme.com/t?a=b',
      scope: null,
      audience: null,
    });
    const given = {
      scope: 'hooks.write https://acme.com/x',
      audience: 'https://hooks.acme.com',
      clientAuth: 'BODY',
    } as const;
    expect(taken(given)).toEqual({ ...client, ...given });
  });

  test('may leave the secret out, which then stays', () => {
    const { clientSecret: _, ...kept } = client;
    expect(taken({ clientSecret: null })).toMatchObject({ ...kept, clientSecret: null });
    expect(taken({ clientSecret: undefined })).toMatchObject(kept);
    expect(problems({ clientSecret: '' })).toEqual(['oauth2.clientSecret client_secret_malformed']);
  });

  test.each([
    [{ clientId: '' }, 'clientId client_id_malformed'],
    [{ clientId: 'a\n' }, 'clientId client_id_malformed'],
    [{ clientId: 'ä' }, 'clientId client_id_malformed'],
    [{ clientId: 'x'.repeat(1_001) }, 'clientId client_id_malformed'],
    [{ clientSecret: 'a\tb' }, 'clientSecret client_secret_malformed'],
    [{ clientSecret: 'x'.repeat(4_097) }, 'clientSecret client_secret_malformed'],
    [{ scope: ' a' }, 'scope scope_malformed'],
    [{ scope: 'a ' }, 'scope scope_malformed'],
    [{ scope: 'a  b' }, 'scope scope_malformed'],
    [{ scope: 'a"b' }, 'scope scope_malformed'],
    [{ scope: 'a\\b' }, 'scope scope_malformed'],
    [{ scope: 'a\nb' }, 'scope scope_malformed'],
    [{ scope: 'x'.repeat(2_001) }, 'scope scope_malformed'],
    [{ audience: 'a\r\nb' }, 'audience audience_malformed'],
    [{ audience: 'x'.repeat(1_001) }, 'audience audience_malformed'],
    [{ tokenUrl: 'https://a:b@id.acme.com/token' }, 'tokenUrl url_userinfo'],
    [{ tokenUrl: 'https://id.acme.com/token#a' }, 'tokenUrl url_fragment'],
    [{ tokenUrl: 'token' }, 'tokenUrl url_not_absolute'],
    [{ tokenUrl: 'http://id.acme.com/token' }, 'tokenUrl url_scheme'],
  ])('are refused with %j', (change, problem) => {
    expect(problems(change)).toEqual([`oauth2.${problem}`]);
  });

  test('have these lengths at most', () => {
    const [clientId, clientSecret, scope] = ['x'.repeat(1_000), 'x'.repeat(4_096), 'x'.repeat(2_000)];
    expect(problems({ clientId, clientSecret, scope, audience: clientId })).toEqual([]);
  });

  test('say where a user name belongs, and no value', () => {
    const answer = read({ tokenUrl: 'https://marker:marker@id.acme.com/', clientSecret: 'marker\n', scope: 'marker"' });
    expect(JSON.stringify(answer)).toContain('set them as the id and the secret of the client');
    expect(JSON.stringify(answer)).not.toContain('marker');
  });

  test('go to an http url on loopback alone, also where webhooks may have one', () => {
    const open = { allowHttp: true, allowedRanges: [], loopbackHttp: true };
    expect(problems({ tokenUrl: 'http://id.acme.com/token' }, open)).toEqual(['oauth2.tokenUrl auth_needs_https']);
    expect(problems({ tokenUrl: 'http://127.0.0.1:8080/token' }, open)).toEqual([]);
    expect(problems({ tokenUrl: 'http://localhost:8080/token' }, open)).toEqual([]);
  });

  test('have a scope whose words never end the line, nor a quoted text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (scope) => {
        const answer = taken({ scope });
        const isWhole = /^[!#-[\]-~]+( [!#-[\]-~]+)*$/.test(scope) || scope === '';
        expect('problems' in answer!).toBe(!isWhole);
      }),
    );
  });
});

describe('a token server', () => {
  const open = { allowHttp: true, allowedRanges: [], loopbackHttp: false };
  const cases = [
    ...[...leadToCanary, ...onIpv6, ...otherHosts].flatMap((host) => [`http://${host}:8080/`, `https://${host}/`]),
    ...innerUrls.map((url) => url.replaceAll('CANARY', '127.0.0.1:8080')),
  ];

  test.each(cases)('at %j is refused, and the refusal has no address', (tokenUrl) => {
    const answer = read({ tokenUrl }, open);
    expect(answer).toMatchObject({ problems: [{ path: ['oauth2', 'tokenUrl'] }] });
    expect(addressesIn(JSON.stringify(answer))).toEqual([]);
  });
});

test('an auth is exactly one kind', () => {
  const of = (auth: object) => readAuth(auth, { headerPrefix: 'X-Service', target: policy });
  expect(of({})).toMatchObject({ problems: [{ code: 'exactly_one' }] });
  expect(of({ bearer: 'a', oauth2: client })).toMatchObject({ problems: [{ code: 'exactly_one' }] });
  expect(of({ bearer: 'a', oauth2: null })).toEqual({ auth: { bearer: 'a', oauth2: null } });
});
