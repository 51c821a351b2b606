import { describe, expect, test } from 'vitest';
import { judgeUrl, type TargetPolicy } from '../../src/domain/addresses/target.js';
import { URL_LENGTH_MAX } from '../../src/domain/fields/webhook-fields.js';
import { fc } from '../support/properties.js';
import { words } from '../support/refusals.js';

const strict: TargetPolicy = { allowHttp: false, allowedRanges: [], loopbackHttp: false };
const withHttp: TargetPolicy = { ...strict, allowHttp: true };
const developer: TargetPolicy = { ...strict, loopbackHttp: true };
const opening = (...allowedRanges: string[]): TargetPolicy => ({ ...withHttp, allowedRanges });

const codeOf = (url: string, policy = withHttp) => {
  const verdict = judgeUrl(url, policy);
  return verdict.allowed ? 'allowed' : verdict.code;
};

describe('which urls may be stored', () => {
  test.each([
    ['https://hooks.example.com', 'https://hooks.example.com/'],
    ['HTTPS://Hooks.Example.COM:443/A?b=c', 'https://hooks.example.com/A?b=c'],
    ['https://faß.de/ä', 'https://xn--fa-hia.de/%C3%A4'],
    ['https://example.com/a b', 'https://example.com/a%20b'],
    ['https://example.com./x', 'https://example.com./x'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    ['https://134744072/', 'https://8.8.8.8/'],
    ['https://[2A00:0::1]:8443/', 'https://[2a00::1]:8443/'],
  ])('%j is stored as %j', (text, url) => {
    expect(judgeUrl(text, strict)).toEqual({ allowed: true, url });
  });

  test.each([
    ...words(`hook /hook //example.com/hook https:example.com https:\\\\example.com javascript:alert(1) data:,x https://
      https://? https://[::1`),
    ...words('https://[fe80::1%25eth0]/ https://[fe80::1%eth0]/ https://1.2.3.256/ https://a.1.2.3.4/ https://:x@/'),
    ...['', 'https://exa mple.com/'],
  ])('%j is not an absolute url, or has no valid host', (text) => {
    expect(codeOf(text)).toBe('url_not_absolute');
  });

  test.each([
    ...['https://ex\tample.com/', 'https://example.com/\n', 'https://12\t7.0.0.1/', 'https://example.com/\u0000'],
    ...['\u0001https://example.com/', 'https://example.com/\u007f', 'https://example.com/\ud800'],
  ])('%j has characters that no url has, which a parser would leave out', (text) => {
    expect(codeOf(text)).toBe('url_characters');
  });

  test.each(words('ftp://example.com/ file:///etc/passwd gopher://example.com/ ws://example.com/'))(
    'the scheme of %s is refused, http or not',
    (text) => {
      for (const policy of [strict, withHttp, developer]) {
        expect(codeOf(text, policy)).toBe('url_scheme');
      }
    },
  );

  test('http is for those who asked for it', () => {
    expect(codeOf('http://example.com/', strict)).toBe('url_scheme');
    expect(codeOf('http://example.com/', developer)).toBe('url_scheme');
    expect(codeOf('http://example.com/', withHttp)).toBe('allowed');
    expect(codeOf('http://8.8.8.8/', developer)).toBe('url_scheme');
  });

  test.each(
    words(`https://user@example.com/ https://@example.com/ https://user:pass@example.com/ https://:pass@example.com/
      https://a@127.0.0.1/ https://example.com&@example.org/`),
  )('%s carries a user name or password', (text) => {
    expect(codeOf(text)).toBe('url_userinfo');
  });

  test.each(
    words(`https://example.com/# https://example.com/#a https://example.com#@127.0.0.1/ https://example.com?a#b`),
  )('%s carries a fragment', (text) => {
    expect(codeOf(text)).toBe('url_fragment');
  });

  test('2048 characters are allowed and 2049 are not, as sent and as stored', () => {
    const ofLength = (length: number, filler = 'a') => 'https://example.com/'.padEnd(length, filler);
    expect(URL_LENGTH_MAX).toBe(2048);
    expect(codeOf(ofLength(2048))).toBe('allowed');
    expect(codeOf(ofLength(2049))).toBe('url_too_long');
    // One "ä" is stored as "%C3%A4".
    expect(codeOf(ofLength(20 + 338, 'ä'))).toBe('allowed');
    expect(codeOf(ofLength(20 + 339, 'ä'))).toBe('url_too_long');
    expect(codeOf(`   ${ofLength(2048)}`)).toBe('url_too_long');
  });
});

describe('hosts', () => {
  /** Every spelling of 127.0.0.1 and its neighbours that a parser may fold. */
  const loopbackSpellings = words(`
    127.0.0.1 127.1 127.0.1 0177.0.0.1 0x7f.1 0x7f000001 0X7F.0.0.0x1 2130706433 017700000001 127.0.0.1.
    127.255.255.254 %31%32%37.0.0.1 １２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 127．0．0．1 127｡0｡0｡1
    [::1] [0:0:0:0:0:0:0:1] [0000::0001]`);
  const privateSpellings = words(`
    0 0.0.0.0 10.0.0.1 0xA.1 012.0.0.1 167772161 169.254.169.254 169.254.43518 0xa9fea9fe 2852039166
    192.168.1.1 172.16.0.1 100.64.0.1 168.63.129.16 255.255.255.255
    [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:0a00:0001] [::127.0.0.1] [64:ff9b::7f00:1]
    [2002:7f00:1::] [2001::1] [fe80::1] [fd00:ec2::254] [ff02::1] [fec0::1] [4000::1]
    [::ffff:0:127.0.0.1] [2a00::5efe:7f00:1]`);

  test.each([...loopbackSpellings, ...privateSpellings])('%s is judged by the address it stands for', (host) => {
    for (const url of [`https://${host}/`, `https://${host}:8080/x`, `HTTPS://${host}\\x`]) {
      expect([url, codeOf(url)]).toEqual([url, 'url_host']);
    }
    for (const url of [`https:\\\\${host}/`, `https:${host}/`, `https:/${host}/`]) {
      expect([url, codeOf(url)]).toEqual([url, 'url_not_absolute']);
    }
    expect(judgeUrl(`https://${host}/`, strict)).not.toHaveProperty('url');
  });

  test.each(loopbackSpellings)('on a developer’s machine %s is allowed, over http and on any port', (host) => {
    for (const url of [`http://${host}/`, `http://${host}:3000/`, `http://${host}:81/`, `https://${host}/`]) {
      expect([url, codeOf(url, developer)]).toEqual([url, 'allowed']);
    }
  });

  test.each(privateSpellings)('on a developer’s machine %s is still refused', (host) => {
    expect(codeOf(`https://${host}/`, developer)).toBe('url_host');
    expect(codeOf(`http://${host}/`, developer)).toBe('url_scheme');
  });

  test.each([
    ...words(`localhost LOCALHOST localhost. a.localhost a.localhost. ⓛocalhost localhost.localdomain db.private backend
      intranet. printer.local metadata.google.internal x.INTERNAL. nas.home.arpa abc.onion a.test a.invalid a.example
      example local home.arpa a.alt com a..b.com .example.com`),
    ...[`${'a'.repeat(64)}.example.com`, `${'a.'.repeat(126)}com`],
  ])('%s is never a public name', (host) => {
    expect(codeOf(`https://${host}/`)).toBe('url_host');
    expect(codeOf(`https://${host}:8443/`)).toBe('url_host');
  });

  test.each(
    words(`example.com local.example.com internal.dev notlocal.com localhost.example.com mylocalhost.com
      a_b.example.com arpa.home.com test.de`),
  )('%s can be a public name', (host) => {
    expect(codeOf(`https://${host}/`)).toBe('allowed');
  });

  test('localhost is allowed when loopback is opened', () => {
    for (const host of ['localhost', 'localhost.', 'LocalHost', 'hooks.localhost']) {
      expect(codeOf(`http://${host}:3000/`, developer)).toBe('allowed');
      expect(codeOf(`http://${host}:3000/`, opening('127.0.0.0/8'))).toBe('allowed');
      expect(codeOf(`http://${host}:3000/`, opening('::1'))).toBe('allowed');
      expect(codeOf(`http://${host}:3000/`, opening('10.0.0.0/8'))).toBe('url_host');
    }
    expect(codeOf('http://backend:3000/', opening('127.0.0.0/8'))).toBe('url_host');
    expect(codeOf('https://backend/', developer)).toBe('url_host');
  });
});

describe('ports', () => {
  test.each(
    words(`https://example.com:443/ http://example.com:80/ https://example.com:80/ http://example.com:443/
      https://example.com:1024/ https://example.com:8080/ https://example.com:8443/ https://example.com:65535/`),
  )('%s is allowed', (url) => {
    expect(codeOf(url)).toBe('allowed');
  });

  test.each([
    ...[0, 1, 22, 23, 25, 53, 79, 81, 110, 143, 442, 444, 465, 587, 993, 1023],
    ...[1433, 1521, 2375, 2379, 2525, 3306, 5432, 5672, 6379, 9042, 9092, 11211, 27017],
  ])('port %i is refused', (port) => {
    for (const host of ['example.com', '8.8.8.8', '[2a00::1]']) {
      expect(codeOf(`https://${host}:${port}/`)).toBe('url_port');
      expect(codeOf(`http://${host}:${port}/`)).toBe('url_port');
    }
  });

  test('a port that does not exist is refused as a port', () => {
    expect(codeOf('https://example.com:65536/')).toBe('url_port');
    expect(codeOf('https://[2a00::1]:99999999/hooks?a=1')).toBe('url_port');
    expect(codeOf('https://example.com:-1/')).toBe('url_not_absolute');
    expect(codeOf('https://exa mple.com:65536/')).toBe('url_not_absolute');
  });

  test('on an opened range every port but 0 is allowed', () => {
    for (const port of [1, 25, 5432, 6379, 65535]) {
      expect(codeOf(`http://10.0.0.1:${port}/`, opening('10.0.0.0/8'))).toBe('allowed');
      expect(codeOf(`http://127.0.0.1:${port}/`, opening('127.0.0.0/8'))).toBe('allowed');
      expect(codeOf(`http://localhost:${port}/`, developer)).toBe('allowed');
      expect(codeOf(`http://example.com:${port}/`, opening('10.0.0.0/8'))).toBe(
        port === 65535 ? 'allowed' : 'url_port',
      );
    }
    expect(codeOf('http://10.0.0.1:0/', opening('10.0.0.0/8'))).toBe('url_port');
  });
});

describe('refusals', () => {
  const noHost = 'must name a host on the public internet, such as hooks.example.com;';
  const special = 'this address is private or has a special purpose';
  const ownMachine = 'on a machine of your own, the setting ALLOW_LOOPBACK_TARGETS=true allows loopback addresses';
  const byRange = 'the operator can open ranges of addresses by the setting ALLOW_PRIVATE_TARGETS';
  const byHttp = 'the operator can allow http:// by the setting ALLOW_HTTP_URLS=true';
  const notByName =
    'no setting allows such a name; an address in its place is allowed where ALLOW_PRIVATE_TARGETS opens its range';
  test.each([
    ['x', 'must be an absolute URL, such as https://example.com/hooks'],
    ['http://example.com/', `must begin with https:// (${byHttp})`],
    ['ftp://example.com/', 'must begin with https://'],
    ['https://a:b@example.com/', 'must not contain a user name or password: set them as delivery.auth'],
    ['https://example.com/#a', 'must not contain a fragment (#…): it would never be sent'],
    ['https://0x7f.1/', `${noHost} ${special} (${ownMachine})`],
    ['https://10.0.0.1/', `${noHost} ${special} (${byRange})`],
    ['http://localhost:8080/', `must begin with https:// (${ownMachine}, over http:// too)`],
    ['https://localhost/', `${noHost} localhost is not one (${ownMachine})`],
    ['https://backend/', `${noHost} backend is not one (${notByName})`],
    [
      'https://example.com:25/',
      'must use port 443 or 80, or one from 1024 to 65535 that no database or other internal service uses',
    ],
    [`https://example.com/${'a'.repeat(2048)}`, 'must have at most 2048 characters'],
  ])('of %.40s says what is wrong and what is allowed', (url, reason) => {
    expect(judgeUrl(url, strict)).toMatchObject({ allowed: false, reason });
  });

  test('of a scheme names the exception for loopback addresses where there is one', () => {
    const reasonOf = (url: string) => judgeUrl(url, developer);
    const exception = 'http:// is for loopback addresses such as http://localhost';
    expect(reasonOf('http://example.com/')).toMatchObject({
      reason: `must begin with https:// (${exception}; ${byHttp})`,
    });
    expect(reasonOf('ftp://example.com/')).toMatchObject({ reason: `must begin with https:// (${exception})` });
  });

  test('a host is repeated with its first 100 characters at most', () => {
    const told = (host: string) => {
      const verdict = judgeUrl(`https://${host}/`, strict);
      return verdict.allowed ? '' : (/com; (.*) is not one/.exec(verdict.reason)?.[1] ?? '');
    };
    expect(told('a'.repeat(100))).toBe('a'.repeat(100));
    expect(told('a'.repeat(101))).toBe(`${'a'.repeat(100)}…`);
    expect(told('a.'.repeat(1000))).toBe(`${'a.'.repeat(50)}…`);
  });

  test('any text at all is judged without an exception, and judging twice changes nothing', () => {
    const piece = fc.constantFrom(...words('https:// http: 127.0.0.1 example.com @ # ? : [ ] ::1 % \\ / 。'), '\0');
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webUrl(),
      fc.array(fc.oneof(piece, fc.string())).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (url) => {
        const verdict = judgeUrl(url, withHttp);
        if (verdict.allowed) {
          expect(judgeUrl(verdict.url, withHttp)).toEqual({ allowed: true, url: verdict.url });
        } else {
          expect(verdict.reason).toMatch(/^must /);
        }
      }),
    );
  });
});
