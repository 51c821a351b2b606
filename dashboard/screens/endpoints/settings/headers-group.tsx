import { Trans, useLingui } from '@lingui/react/macro';
import { DEFAULT_METHOD } from '../../../../src/domain/deliveries/delivery-method';
import { Untrusted } from '../../../parts/untrusted';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { Group, Value, Values } from '../one/group';
import { OptionWarnings } from '../option-warnings';
import { isOfTls } from '../tls/tls-draft';
import type { SettingsProps } from '../use-endpoint';
import { authKindOf } from './draft';
import { OAuthValues, TokenFailure } from './oauth-values';
import { AUTH_KINDS } from './words';

/** The method, the headers and the auth of an endpoint. Secrets show as set. */
export function HeadersGroup({ endpoint, maySet }: SettingsProps) {
  const { i18n } = useLingui();
  const { method, callback, headers, auth, warnings } = endpoint.delivery;
  const detail = auth?.username ?? auth?.header ?? auth?.clientId;
  if (method === DEFAULT_METHOD && !callback && headers.length === 0 && auth == null && !maySet) {
    return null;
  }
  return (
    <Group title={<Trans>Method, headers and auth</Trans>} change={maySet && 'headers'}>
      <Values>
        <Value name={i18n._(ENDPOINT_FIELDS.method.name)}>{method}</Value>
        {callback && (
          <Value name={i18n._(ENDPOINT_FIELDS.callback.name)}>{i18n._(ENDPOINT_FIELDS.callback.hint)}</Value>
        )}
        <Value name={<Trans>Authentication</Trans>}>
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
        </Value>
        {auth?.tokenUrl != null && <OAuthValues auth={auth} />}
        {headers.map(({ name, value, secret }) => (
          <Value key={name} name={<Untrusted text={name} />}>
            {secret ? <Trans>secret, set</Trans> : <Untrusted text={value ?? ''} />}
          </Value>
        ))}
      </Values>
      <OptionWarnings warnings={warnings.filter(({ path }) => !isOfTls(path))} />
    </Group>
  );
}
