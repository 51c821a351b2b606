import { answersEach, response } from '../hostile-receivers.js';
import { answers, fails, type HostileKind, KIB, kinds } from './kind.js';

const LOCATIONS: Record<string, string> = {
  'of javascript': 'javascript:alert(1)',
  'of a file': 'file:///etc/passwd',
  'of the cloud': 'http://169.254.169.254/latest/meta-data/',
  'of 15 KiB': `/${'a'.repeat(15 * KIB)}`,
  'that is empty': '',
  'that is nonsense': 'http://[::1',
  'with an escaped line end': '/%0d%0aX-Injected:%201',
};

/** One that answers with these headers and nothing else. */
const answering = (what: string, status: number, sent: string[], headers: Record<string, string | string[]>) =>
  kinds(answers(status, { headers }), { [what]: answersEach(response(status, '', sent)) });

export const redirecting: readonly HostileKind[] = [
  ...Object.entries(LOCATIONS).flatMap(([what, location], index) =>
    answering(`redirects to a location ${what}`, [301, 302, 303, 307, 308][index % 5]!, [`location: ${location}`], {
      location,
    }),
  ),
  ...answering('redirects to a location with a line end', 302, ['location: /a\r\nX-Injected: 1'], {
    location: '/a',
    'x-injected': '1',
  }),
  ...answering('redirects to two locations', 302, ['location: /a', 'location: /b'], { location: ['/a', '/b'] }),
  ...kinds(fails('HEADERS_TOO_LARGE'), {
    'redirects to a location of 64 KiB': answersEach(response(302, '', [`location: /${'a'.repeat(64 * KIB)}`])),
  }),
];

const RETRY_AFTER = ['1e300', '-5', 'NaN', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT', '120, 1', '\xff'];

export const wantingNoMore: readonly HostileKind[] = [
  ...answering('is gone', 410, [], {}),
  ...answering('is overwhelmed', 429, [], {}),
  ...RETRY_AFTER.flatMap((value, index) =>
    answering(`asks to retry after ${value.slice(0, 30)}`, index % 2 === 0 ? 503 : 429, [`retry-after: ${value}`], {
      'retry-after': value,
    }),
  ),
  ...answering('asks twice to retry later', 503, ['retry-after: 1e9', 'retry-after: 7'], {
    'retry-after': ['1e9', '7'],
  }),
].map((kind) => ({ ...kind, wantsNoMore: true }));
