import { describe, expect, test } from 'vitest';
import type { Options } from '../../dashboard/screens/endpoints/settings/draft.js';
import {
  missingPart,
  NO_CHANGE,
  placed,
  splitPem,
  type TlsDraft,
  tlsChange,
} from '../../dashboard/screens/endpoints/tls/tls-draft.js';
import { endingOf } from '../../src/domain/notices/certificate-ends.js';
import { AUTHORITY, GOOD, KEY } from '../support/certificates.js';

/** The dialog of an endpoint's certificates. */

const draft = (change: Partial<TlsDraft>): TlsDraft => ({ ...NO_CHANGE, ...change });
const ca = { subjects: ['CN=Test authority'], endsAt: '2126-10-28T10:24:08Z' };
const clientCertificate = { subject: 'CN=a', issuer: 'CN=b', serial: '10', fingerprint: 'AA', endsAt: ca.endsAt };

describe('certificates', () => {
  test('stay as they are unless they are written or removed', () => {
    expect(tlsChange(NO_CHANGE)).toEqual({});
    expect(tlsChange(draft({ ca: ' \n' }))).toEqual({});
    expect(tlsChange(draft({ ca: AUTHORITY }))).toEqual({ tls: { caPem: AUTHORITY } });
    expect(tlsChange(draft({ certificate: GOOD, key: KEY, removesCa: true }))).toEqual({
      tls: { caPem: null, clientCertificatePem: GOOD, clientKeyPem: KEY },
    });
    expect(tlsChange(draft({ removesCertificate: true }))).toEqual({ tls: { clientCertificatePem: null } });
  });

  test.each<[string, Partial<TlsDraft>, Options['tls'], ReturnType<typeof missingPart>]>([
    ['a certificate has no key', { certificate: GOOD, ca: AUTHORITY }, null, 'key'],
    ['a certificate has no key, beside authorities', { certificate: GOOD }, { ca, clientCertificate: null }, 'key'],
    ['a key has no certificate', { key: KEY }, null, 'certificate'],
  ])('are not sent while %s', (_, change, stored, expected) => {
    expect(missingPart(draft(change), stored)).toBe(expected);
  });

  test('are sent once they are whole; beside a stored certificate one text is enough', () => {
    const both: Options['tls'] = { ca, clientCertificate };
    const whole: [Partial<TlsDraft>, Options['tls']][] = [
      [{}, null],
      [{ ca: AUTHORITY }, null],
      [{ certificate: GOOD, key: KEY }, null],
      [{ certificate: GOOD }, both],
      [{ key: KEY }, both],
      [{ removesCertificate: true }, both],
    ];
    expect(whole.map(([change, stored]) => missingPart(draft(change), stored))).toEqual(whole.map(() => undefined));
  });
});

describe('a text in PEM', () => {
  test('with certificate and key goes to both fields, in any order', () => {
    const split = { certificates: `${GOOD}\n`, key: `${KEY}\n` };
    expect(splitPem(`${KEY}\n${GOOD}`)).toEqual(split);
    expect(placed(`Bag Attributes\r\n${GOOD}\r\n${KEY}`, 'certificate')).toEqual({
      certificate: split.certificates,
      key: split.key,
    });
    expect(placed(`${GOOD}\n${KEY}`, 'key')).toEqual({ certificate: split.certificates, key: split.key });
  });

  test('keeps a chain together, and brings no key among the authorities', () => {
    expect(splitPem(`${GOOD}\n${AUTHORITY}`)).toEqual({ certificates: `${GOOD}\n${AUTHORITY}\n`, key: '' });
    expect(placed(`${AUTHORITY}\n${KEY}`, 'ca')).toEqual({ ca: `${AUTHORITY}\n` });
  });

  test('stays as it was typed while it has one kind of parts, or none', () => {
    expect(placed('-----BEGIN CERT', 'certificate')).toEqual({ certificate: '-----BEGIN CERT' });
    expect(placed(`  ${AUTHORITY}`, 'ca')).toEqual({ ca: `  ${AUTHORITY}` });
    expect(splitPem('MIIBijCCAS+gAwIBAgIUM')).toBeNull();
  });
});

test('a certificate ends soon in its last 14 days', () => {
  const now = Date.parse('2026-11-30T12:00:00Z');
  expect(endingOf('2026-12-14T12:00:00.001Z', now)).toBe('later');
  expect(endingOf('2026-12-14T12:00:00Z', now)).toBe('soon');
  expect(endingOf('2026-11-30T12:00:00.001Z', now)).toBe('soon');
  expect(endingOf('2026-11-30T12:00:00Z', now)).toBe('over');
});
