import { Trans, useLingui } from '@lingui/react/macro';
import { DEFAULT_METHOD } from '../../../../src/domain/deliveries/delivery-method';
import { Button } from '../../../parts/button';
import { Card, Fact, Facts } from '../../../parts/page';
import { Untrusted } from '../../../parts/untrusted';
import { useWritable } from '../../../parts/viewer';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { useAction, useOffered } from '../actions';
import { OptionWarnings } from '../option-warnings';
import { isOfTls } from '../tls/tls-draft';
import type { ShownEndpoint } from '../use-endpoint';
import { authKindOf } from './draft';
import { OAuthFacts, TokenFailure } from './oauth-facts';
import { AUTH_KINDS } from './words';

/** The headers and the auth of an endpoint. Secrets show as set. */
export function HeadersCard({ endpoint }: { endpoint: ShownEndpoint }) {
  const { i18n } = useLingui();
  const [, start] = useAction();
  const isWritable = useWritable();
  const mayChange = useOffered(endpoint)('headers') && (isWritable('headers') || isWritable('auth'));
  const { method, headers, auth, warnings } = endpoint.delivery;
  const detail = auth?.username ?? auth?.header ?? auth?.clientId;
  if (method === DEFAULT_METHOD && headers.length === 0 && auth == null && !mayChange) {
    return null;
  }
  return (
    <Card
      title={<Trans>Method, headers and auth</Trans>}
      actions={
        mayChange && (
          <Button onClick={() => start('headers')}>
            <Trans>Change</Trans>
          </Button>
        )
      }
    >
      <Facts>
        <Fact name={i18n._(ENDPOINT_FIELDS.method.name)}>{method}</Fact>
        <Fact name={<Trans>Authentication</Trans>}>
          {i18n._(AUTH_KINDS[authKindOf(auth)])}
          {detail != null && (
            <>
              {' '}
              <code className="font-mono text-xs">
                <Untrusted text={detail} />
              </code>
            </>
          )}
          {auth?.lastFailure && <TokenFailure failure={auth.lastFailure} />}
        </Fact>
        {auth?.tokenUrl != null && <OAuthFacts auth={auth} />}
        {headers.map(({ name, value, secret }) => (
          <Fact key={name} name={<Untrusted text={name} />}>
            {secret ? <Trans>secret, set</Trans> : <Untrusted text={value ?? ''} />}
          </Fact>
        ))}
      </Facts>
      <OptionWarnings warnings={warnings.filter(({ path }) => !isOfTls(path))} />
    </Card>
  );
}
