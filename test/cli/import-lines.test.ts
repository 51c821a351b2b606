import { describe, expect, test } from 'vitest';
import { foreseenRefusals } from '../../src/cli/developer/import/lines/foresee.js';
import { readLine, type WebhookLine } from '../../src/cli/developer/import/lines/line.js';
import { fc } from '../support/properties.js';

const line = {
  v: 1,
  from: 'own:1',
  tenant: { externalId: 'cust_1' },
  externalId: '1',
  url: 'https://hooks.acme.com/',
  events: ['*'],
};

const problemsOf = (changes: object): readonly string[] => {
  const read = readLine(JSON.stringify({ ...line, ...changes }));
  return 'problems' in read ? read.problems : [];
};

describe('a line', () => {
  test('needs where it comes from, its ids, an address and events alone', () => {
    expect(readLine(JSON.stringify(line))).toEqual({
      line: { ...line, active: true, notes: [] },
    });
  });

  test.each([
    [{ v: 2 }, 'v must be 1'],
    [{ url: undefined }, 'url is missing'],
    [{ events: [] }, 'events must not be empty'],
    [{ active: 'yes' }, 'active must be a boolean'],
    [{ method: 'GET' }, 'method must be "POST" or "PUT" or "PATCH"'],
    [{ callback: 1 }, 'callback must be a boolean'],
    [{ retryDelaysSeconds: 60 }, 'retryDelaysSeconds must be an array'],
    [{ template: 'x' }, 'template must be an object or a list'],
    [{ ordering: { by: 'TYPE' } }, 'ordering.by must be "NONE" or "KEY" or "ENDPOINT"'],
    [{ ordering: { key: 'x' } }, 'ordering has a field that lines do not have: key'],
    [{ metadata: ['a'] }, 'metadata must be a JSON object'],
    [{ headers: { 'X-Env': 'prod' } }, 'headers.X-Env must be an object'],
    [{ auth: { token: 'x' } }, 'auth has a field that lines do not have: token'],
    [{ tls: { verify: false } }, 'tls has a field that lines do not have: verify'],
    [{ auth: { oauth2: { tokenUrl: 'x', clientId: 'x' } } }, 'auth.oauth2.clientSecret is missing'],
    [{ externalId: ' 1' }, 'externalId must be 1 to 255 printable ASCII characters without spaces at the ends'],
    [
      { externalId: 'x'.repeat(256) },
      'externalId must be 1 to 255 printable ASCII characters without spaces at the ends',
    ],
    [{ previousSecretExpiresAt: 'soon' }, 'previousSecretExpiresAt must be a time, such as 2027-01-31T12:00:00Z'],
    [{ from: 'own:\u001b[2J' }, 'from must not have control characters'],
    [{ eventType: { name: 'a.b' } }, 'has a field that lines do not have: tenant, externalId, url, events'],
  ])('%j: %s', (changes, problem) => {
    expect(problemsOf(changes)).toContain(problem);
  });

  test('whatever is wrong with it, its problems quote no value', () => {
    const marker = 'invented-secret-value';
    const value = fc.oneof(
      fc.constantFrom(marker, [marker], { value: marker }, { basic: marker }, { apiKey: { header: marker } }),
      fc.jsonValue().map((json) => [marker, json]),
    );
    const field = fc.constantFrom(
      ...['v', 'from', 'tenant', 'externalId', 'url', 'events', 'secret', 'previousSecret', 'previousSecretExpiresAt'],
      ...[
        'compat',
        'active',
        'name',
        'metadata',
        'headers',
        'auth',
        'tls',
        'filter',
        'ratePerSecond',
        'timeoutMs',
        'notes',
      ],
    );
    fc.assert(
      fc.property(fc.dictionary(field, value), fc.nat(300), (changes, cut) => {
        const text = JSON.stringify({ ...line, ...changes });
        for (const written of [text, text.slice(0, cut)]) {
          const read = readLine(written);
          const said = 'problems' in read ? read.problems : [];
          // A name of a header or of metadata is no secret; here none has the marker.
          expect(said.join('\n')).not.toContain(marker);
        }
      }),
    );
  });

  test('of a tenant alone says nothing but the tenant', () => {
    const tenant = { v: 1, from: 'own:1', tenant: { externalId: 'cust_1', name: 'Acme' } };
    expect(readLine(JSON.stringify(tenant))).toEqual({ line: tenant });
    const other = readLine(JSON.stringify({ ...tenant, tenant: { externalId: '' } }));
    expect(other).toHaveProperty('problems');
  });

  const client = { tokenUrl: 'https://id.acme.com/token', clientId: 'hooks', clientSecret: 'invented' };
  const foreseen = (changes: object) =>
    foreseenRefusals({ ...line, active: true, notes: [], ...changes } as WebhookLine);

  test.each([
    [{ description: 'x'.repeat(1_001) }, /^description must have at most 1000 characters/],
    [{ name: 'x'.repeat(101) }, /^name must have at most 100 characters/],
    [{ ratePerSecond: 5_000 }, /^ratePerSecond must be/],
    [{ timeoutMs: 1 }, /^timeoutMs must be/],
    [{ retryDelaysSeconds: [0] }, /^retryDelaysSeconds\.0 must be a whole number/],
    [{ template: ['{{'] }, /^template/],
    [{ ordering: { keyPath: '.' } }, /^ordering\.keyPath must be 1 to/],
    [{ ordering: { keep: 'LATEST', settleSeconds: 0.1 } }, /^ordering\.settleSeconds must be 0\.5 to/],
    [{ ordering: { by: 'KEY', keyPath: 'id', settleSeconds: 2 } }, /^ordering\.settleSeconds needs `keep: LATEST`/],
    [
      { ordering: { by: 'KEY', keyPath: 'id', keep: 'LATEST', settleMaxSeconds: 2 } },
      /^ordering\.settleMaxSeconds is for `settleSeconds`/,
    ],
    [{ filter: { field: { path: 'a', op: 'LIKE', value: 'b' } } }, /^filter\.field\.op /],
    [{ filter: { path: 'a' } }, /^filter/],
    [{ events: ['a.b', 'a.b'] }, /^events\.1 is in the list twice/],
    [{ auth: { basic: { username: 'a:b', password: 'invented' } } }, /^auth\.basic\.username/],
    [{ tls: { caPem: 'garbage' } }, /^tls\.caPem must be certificates/],
    [{ auth: { oauth2: { ...client, scope: '"' } } }, /^auth\.oauth2\.scope must be words/],
    [{ metadata: { 'a b': 'c' } }, /^metadata\.a b /],
    [{ url: 'https://user:pass@hooks.acme.com/' }, /^url must/],
  ])('%j is refused by every service', (changes, problem) => {
    expect(foreseen(changes)).toEqual({ certain: [expect.stringMatching(problem)], unsure: [] });
  });

  test.each([
    [{ url: 'http://hooks.acme.com/' }, /^url must begin with https/],
    [{ url: 'http://localhost:3000/' }, /^url must begin with https/],
    [{ url: 'https://10.0.0.7/' }, /^url must name a host on the public internet/],
    [{ auth: { oauth2: { ...client, tokenUrl: 'https://10.0.0.7/' } } }, /^auth\.oauth2\.tokenUrl must name a host/],
    [{ compat: 'acme' }, /^compat must be one of svix, convoy, convoy-simple, outpost, or of/],
    [{ headers: { 'X-Service-Env': { value: 'prod', secret: false } } }, /^headers\.X-Service-Env /],
  ])('%j is refused unless a setting allows it', (changes, problem) => {
    expect(foreseen(changes)).toEqual({ certain: [], unsure: [expect.stringMatching(problem)] });
  });

  test('is judged by the rules of the service, without its secrets', () => {
    const judged = (changes: object) => foreseen(changes).certain;
    expect(foreseen({ auth: {}, filter: {}, name: '' })).toEqual({ certain: [], unsure: [] });
    expect(judged({ headers: { 'X-Env': { value: 'a\nb', secret: true } } })).toEqual([
      expect.stringMatching(/^headers\.X-Env must be 1 to 4096 visible ASCII/),
    ]);
    expect(judged({ secret: 'whsec_no base64!', previousSecret: 'short' })).toEqual([
      expect.stringMatching(/^secret must be whsec_ and the base64 of/),
      expect.stringMatching(/^previousSecret must be/),
    ]);
    expect(judged({ events: ['*', 'a.b'] })).toEqual(['events.0 "*" must stand alone']);
    expect(judged({ events: ['Invoice.Paid'] })).toEqual([expect.stringMatching(/^events\.0 must be 2 or more parts/)]);
    expect(judged({ events: Array(101).fill('a.b') })).toEqual([
      expect.stringMatching(/^events must have at most 100/),
    ]);
  });
});
