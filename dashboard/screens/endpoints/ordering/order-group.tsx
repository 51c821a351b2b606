import { Trans, useLingui } from '@lingui/react/macro';
import { Untrusted } from '../../../parts/untrusted';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { duration } from '../../../text/numbers';
import { Group, Value, Values } from '../one/group';
import { OptionWarnings } from '../option-warnings';
import type { SettingsProps } from '../use-endpoint';
import { longestWait, ORDER_BY, ORDER_KEEP, ORDER_ON_FAILURE } from './words';

/** Which deliveries of an endpoint wait for each other. */
export function OrderGroup({ endpoint: { ordering }, maySet }: SettingsProps) {
  const { i18n } = useLingui();
  const { by, keyPath, keep, settleSeconds, onFailure, warnings } = ordering;
  if (by === 'NONE' && !maySet) {
    return null;
  }
  return (
    <Group title={<Trans>Ordering</Trans>} change={maySet && 'order'}>
      <Values>
        <Value name={<Trans>In order</Trans>}>{i18n._(ORDER_BY[by].name)}</Value>
        {keyPath != null && (
          <Value name={i18n._(ENDPOINT_FIELDS.keyPath.name)}>
            <code className="font-mono text-xs">
              <Untrusted text={keyPath} />
            </code>
          </Value>
        )}
        {by !== 'NONE' && (
          <>
            <Value name={<Trans>Sent</Trans>}>
              {settleSeconds == null ? (
                i18n._(ORDER_KEEP[keep].name)
              ) : (
                <Trans>
                  The newest, once quiet for {duration(settleSeconds * 1_000)}, at most{' '}
                  {duration(longestWait(ordering) * 1_000)}
                </Trans>
              )}
            </Value>
            <Value name={<Trans>After a failure</Trans>}>{i18n._(ORDER_ON_FAILURE[onFailure].name)}</Value>
          </>
        )}
      </Values>
      <OptionWarnings warnings={warnings} />
    </Group>
  );
}
