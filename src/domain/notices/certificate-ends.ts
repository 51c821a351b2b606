import { DAY_MS } from '../text/durations.js';

/** An owner hears of a certificate this long before its end, and again within the last days. */
export const CERTIFICATE_WARN_DAYS = 14;
export const CERTIFICATE_LAST_DAYS = 3;

/** A certificate of a webhook: the client certificate, or the authority whose certificate ends last. */
export type CertificateOf = 'CLIENT' | 'CA';

interface Ends {
  endsAt: string;
}

interface EndingCertificate {
  certificate: CertificateOf;
  endsAt: string;
  hasEnded: boolean;
}

/** How close a certificate is to its end. @param now in ms since 1970 */
export function endingOf(endsAt: string, now: number): 'over' | 'soon' | 'later' {
  const leftMs = Date.parse(endsAt) - now;
  return leftMs <= 0 ? 'over' : leftMs <= CERTIFICATE_WARN_DAYS * DAY_MS ? 'soon' : 'later';
}

/** Finds the certificates of a webhook that have ended, or will within `CERTIFICATE_WARN_DAYS`. */
export function endingCertificates(tls: { client: Ends | null; ca: Ends | null }, now: Date): EndingCertificate[] {
  const certificates = { CLIENT: tls.client, CA: tls.ca };
  return (Object.keys(certificates) as CertificateOf[]).flatMap((certificate) => {
    const endsAt = certificates[certificate]?.endsAt;
    const ending = endsAt === undefined ? 'later' : endingOf(endsAt, now.getTime());
    return endsAt === undefined || ending === 'later' ? [] : [{ certificate, endsAt, hasEnded: ending === 'over' }];
  });
}
