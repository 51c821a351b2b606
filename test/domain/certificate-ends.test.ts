import { expect, test } from 'vitest';
import { certificateWarnings } from '../../src/domain/content/option-warnings.js';
import { endingCertificates } from '../../src/domain/notices/certificate-ends.js';

const NOW = new Date('2026-03-10T12:00:00Z');
const ending = (endsAt: string) => ({ endsAt });

test.each([
  ['2026-03-24T12:00:01Z', []],
  ['2026-03-24T12:00:00Z', [{ hasEnded: false }]],
  ['2026-03-10T12:00:01Z', [{ hasEnded: false }]],
  ['2026-03-10T12:00:00Z', [{ hasEnded: true }]],
  ['2021-01-01T00:00:00Z', [{ hasEnded: true }]],
])('a certificate that ends at %s is one of %j on 10 March 2026 at noon', (endsAt, found) => {
  const all = (certificate: string) => found.map((one) => ({ certificate, endsAt, ...one }));
  expect(endingCertificates({ client: ending(endsAt), ca: null }, NOW)).toEqual(all('CLIENT'));
  expect(endingCertificates({ client: null, ca: ending(endsAt) }, NOW)).toEqual(all('CA'));
});

test('a webhook without certificates has none that ends', () => {
  expect(endingCertificates({ client: null, ca: null }, NOW)).toEqual([]);
});

test('a warning says which certificate ends and when, and which has ended', () => {
  const tls = { client: ending('2026-03-20T00:00:00Z'), ca: ending('2026-03-09T00:00:00Z') };
  expect(certificateWarnings(tls, NOW)).toEqual([
    {
      code: 'certificate_ending',
      message: 'The client certificate ends on 2026-03-20. Replace it.',
      path: 'tls.clientCertificate',
      eventType: null,
      types: null,
    },
    {
      code: 'certificate_ended',
      message: 'The last certificate of the authorities ended on 2026-03-09. Replace it.',
      path: 'tls.ca',
      eventType: null,
      types: null,
    },
  ]);
});
