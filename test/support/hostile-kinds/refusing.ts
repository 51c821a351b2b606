import { answersEach, response } from '../hostile-receivers.js';
import { answers, fails, type HostileKind } from './kind.js';

const KIB = 1024;

const LOCATIONS: Record<string, string> = {
  'of javascript': 'javascript:alert(1)',
  'of a file': 'file:///etc/passwd',
  'of the cloud': 'http://169.254.169.254/latest/meta-data/',
  'of 15 KiB': `/${'a'.repeat(15 * KIB)}`,
  'that is empty': '',
  'that is nonsense': 'http://[::1',
  'with an escaped line end': '/%0d%0aX-Injected:%201',
};

export const redirecting: readonly HostileKind[] = [
  ...Object.entries(LOCATIONS).map(([what, location], index) => {
    const status = [301, 302, 303, 307, 308][index % 5]!;
    return {
      what: `redirects to a location ${what}`,
      misbehave: answersEach(response(status, '', [`location: ${location}`])),
      reads: answers(status, { headers: { location } }),
    };
  }),
  {
    what: 'redirects to a location with a line end',
    misbehave: answersEach(response(302, '', ['location: /a\r\nX-Injected: 1'])),
    reads: answers(302, { headers: { location: '/a', 'x-injected': '1' } }),
  },
  {
    what: 'redirects to two locations',
    misbehave: answersEach(response(302, '', ['location: /a', 'location: /b'])),
    reads: answers(302, { headers: { location: ['/a', '/b'] } }),
  },
  {
    what: 'redirects to a location of 64 KiB',
    misbehave: answersEach(response(302, '', [`location: /${'a'.repeat(64 * KIB)}`])),
    reads: fails('HEADERS_TOO_LARGE'),
  },
];

const RETRY_AFTER = ['1e300', '-5', 'NaN', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT', '120, 1', '\xff'];

export const wantingNoMore: readonly HostileKind[] = [
  { what: 'is gone', misbehave: answersEach(response(410)), reads: answers(410), wantsNoMore: true },
  { what: 'is overwhelmed', misbehave: answersEach(response(429)), reads: answers(429), wantsNoMore: true },
  ...RETRY_AFTER.map(
    (value, index): HostileKind => ({
      what: `asks to retry after ${value.slice(0, 30)}`,
      misbehave: answersEach(response(index % 2 === 0 ? 503 : 429, '', [`retry-after: ${value}`])),
      reads: answers(index % 2 === 0 ? 503 : 429, { headers: { 'retry-after': value } }),
      wantsNoMore: true,
    }),
  ),
  {
    what: 'asks twice to retry later',
    misbehave: answersEach(response(503, '', ['retry-after: 1e9', 'retry-after: 7'])),
    reads: answers(503, { headers: { 'retry-after': ['1e9', '7'] } }),
    wantsNoMore: true,
  },
];
