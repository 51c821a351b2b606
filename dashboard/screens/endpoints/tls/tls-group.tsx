import { Trans } from '@lingui/react/macro';
import { Group, Value, Values } from '../one/group';
import { OptionWarnings } from '../option-warnings';
import type { SettingsProps } from '../use-endpoint';
import { Authorities, ClientCertificate } from './certificate-facts';
import { isOfTls } from './tls-draft';

/** Which certificates an endpoint may show, and the one that it sees from us. Keys are never shown. */
export function TlsGroup({ endpoint: { delivery }, maySet }: SettingsProps) {
  const { ca, clientCertificate } = delivery.tls ?? {};
  if (ca == null && clientCertificate == null && !maySet) {
    return null;
  }
  return (
    <Group title={<Trans>TLS</Trans>} change={maySet && 'tls'}>
      <Values>
        <Value wide="table" name={<Trans>Trusted authorities</Trans>}>
          {ca == null ? <Trans>the public ones</Trans> : <Authorities ca={ca} />}
        </Value>
        <Value wide="table" name={<Trans>Client certificate</Trans>}>
          {clientCertificate == null ? (
            <Trans context="certificate">none</Trans>
          ) : (
            <ClientCertificate certificate={clientCertificate} />
          )}
        </Value>
      </Values>
      <OptionWarnings warnings={delivery.warnings.filter(({ path }) => isOfTls(path))} />
    </Group>
  );
}
