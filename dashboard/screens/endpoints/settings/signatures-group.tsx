import { Trans, useLingui } from '@lingui/react/macro';
import { optionName } from '../../../../src/domain/fields/field';
import { Button } from '../../../parts/button';
import { Untrusted } from '../../../parts/untrusted';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { useAction, useOffered } from '../actions';
import { PublicKeys } from '../key-pair/public-keys';
import { Group, Remark, Value, Values } from '../one/group';
import type { SettingsProps, SigningKey } from '../use-endpoint';
import { SIGNATURE_SCHEMES } from './words';

/** The headers by which a receiver verifies who sends a request, and whether the key pair of the tenant signs too. */
export function SignaturesGroup({
  endpoint,
  signingKeys,
  maySet,
}: SettingsProps & { signingKeys: readonly SigningKey[] }) {
  const { i18n } = useLingui();
  const { signing, own } = endpoint.delivery;
  const isSigned = signing === 'SECRET_AND_KEY';
  return (
    <Group title={<Trans>Signatures</Trans>} change={maySet && 'signing'}>
      <Values>
        <Value name={i18n._(ENDPOINT_FIELDS.signing.name)}>
          {isSigned ? <Trans>by the secret and by a key pair</Trans> : <Trans>by the secret</Trans>}
          {isSigned && !own.includes(optionName('signing') as never) && (
            <Remark>
              <Trans>default of the tenant</Trans>
            </Remark>
          )}
        </Value>
        <Schemes endpoint={endpoint} maySet={maySet} />
        {isSigned && <PublicKeys endpoint={endpoint} signingKeys={signingKeys} />}
      </Values>
    </Group>
  );
}

/** The headers of each form of signature. */
function Schemes({ endpoint, maySet }: SettingsProps) {
  const { i18n } = useLingui();
  const [, start] = useAction();
  const isOffered = useOffered(endpoint);
  return endpoint.signatures.map(({ scheme, form, headers }) => (
    <Value key={scheme} name={i18n._(scheme === 'COMPAT' ? ENDPOINT_FIELDS.compat.name : SIGNATURE_SCHEMES[scheme])}>
      {form != null && (
        <span className="flex flex-wrap items-center gap-2">
          <Untrusted text={form} />
          {maySet && isOffered('compat') && (
            <Button onClick={() => start('compat')}>
              <Trans>Remove</Trans>
            </Button>
          )}
        </span>
      )}
      {headers.map((name) => (
        <code key={name} className="block font-mono text-xs">
          <Untrusted text={name} />
        </code>
      ))}
      {form != null && headers.length === 0 && <Trans>This part of the service does not know the form.</Trans>}
    </Value>
  ));
}
