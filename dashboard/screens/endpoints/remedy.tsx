import { Trans, useLingui } from '@lingui/react/macro';
import { Untrusted } from '../../parts/untrusted';
import { remedyFor } from '../../text/remedies';
import { TlsLink } from './tls/tls-link';

/** Errors of a server that wants another client certificate: it ends the handshake or the connection, or answers 400. */
const REFUSALS: readonly string[] = ['TLS_FAILED', 'CONNECTION_RESET', 'HTTP_400'];

interface WithCertificate {
  databaseId: number;
  url: string;
  delivery: { tls?: { clientCertificate?: { subject: string } | null } | null };
}

/** The remedy for an error code, with the settings of the endpoint that may cause it. */
export function Remedy({ code, endpoint }: { code: string; endpoint?: WithCertificate | null | undefined }) {
  const { i18n } = useLingui();
  return (
    <>
      {i18n._(remedyFor(code).what)}
      {endpoint && <CertificateRemark code={code} endpoint={endpoint} />}
    </>
  );
}

/** A client certificate may be the reason for the failure. */
function CertificateRemark({ code, endpoint }: { code: string; endpoint: WithCertificate }) {
  if (!REFUSALS.includes(code) || !endpoint.url.startsWith('https:')) {
    return null;
  }
  const subject = endpoint.delivery.tls?.clientCertificate?.subject;
  return (
    <>
      {' '}
      {subject === undefined ? (
        <Trans>Your server may also ask for a client certificate.</Trans>
      ) : (
        <Trans>
          Your server may also refuse the client certificate <Untrusted text={subject} />.
        </Trans>
      )}{' '}
      <TlsLink endpoint={endpoint} />
    </>
  );
}
