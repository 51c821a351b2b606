import { Trans } from '@lingui/react/macro';
import { Link } from '../../../parts/place';
import { useAllowed, useWritable } from '../../../parts/viewer';

/** Leads to the certificates of an endpoint: to their dialog, where the reader may change them. */
export function TlsLink({ endpoint: { databaseId } }: { endpoint: { databaseId: number } }) {
  const isWritable = useWritable();
  const mayChange = useAllowed('webhooks:options') && isWritable('tls');
  return (
    <Link
      to={`/endpoints/${databaseId}`}
      search={mayChange ? { do: 'tls' } : { tab: 'settings' }}
      className="text-accent underline"
    >
      {mayChange ? <Trans>Set TLS</Trans> : <Trans>Open the endpoint</Trans>}
    </Link>
  );
}
