import { Trans } from '@lingui/react/macro';
import { Button } from '../../../parts/button';
import { Card, Fact, Facts } from '../../../parts/page';
import { useWritable } from '../../../parts/viewer';
import { useAction, useOffered } from '../actions';
import { OptionWarnings } from '../option-warnings';
import type { ShownEndpoint } from '../use-endpoint';
import { Authorities, ClientCertificate } from './certificate-facts';
import { isOfTls } from './tls-draft';

/** Which certificates an endpoint may show, and the one that it sees from us. Keys are never shown. */
export function TlsCard({ endpoint }: { endpoint: ShownEndpoint }) {
  const [, start] = useAction();
  const isWritable = useWritable();
  const { url, delivery } = endpoint;
  const { ca, clientCertificate } = delivery.tls ?? {};
  const isOffered = useOffered(endpoint);
  const mayChange = url.startsWith('https:') && isOffered('tls') && isWritable('tls');
  if (ca == null && clientCertificate == null && !mayChange) {
    return null;
  }
  return (
    <Card
      title={<Trans>TLS</Trans>}
      actions={
        mayChange && (
          <Button onClick={() => start('tls')}>
            <Trans>Change</Trans>
          </Button>
        )
      }
    >
      <Facts>
        <Fact name={<Trans>Trusted authorities</Trans>}>
          {ca == null ? <Trans>the public ones</Trans> : <Authorities ca={ca} />}
        </Fact>
        <Fact name={<Trans>Client certificate</Trans>}>
          {clientCertificate == null ? (
            <Trans context="certificate">none</Trans>
          ) : (
            <ClientCertificate certificate={clientCertificate} />
          )}
        </Fact>
      </Facts>
      <OptionWarnings warnings={delivery.warnings.filter(({ path }) => isOfTls(path))} />
    </Card>
  );
}
