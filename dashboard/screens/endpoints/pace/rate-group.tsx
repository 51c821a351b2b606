import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { isChat } from '../../../../src/domain/content/formats';
import { optionName } from '../../../../src/domain/fields/field';
import { RetryLine, ScheduleWords } from '../../../parts/retry-line';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { count, duration } from '../../../text/numbers';
import { Group, Remark, Value, Values } from '../one/group';
import type { SettingsProps } from '../use-endpoint';

interface RateProps extends Pick<SettingsProps, 'endpoint'> {
  /** The values that the endpoints of its tenant inherit. */
  inherited: readonly string[];
}

/** How an endpoint is called: time limit, retries, rate, and who enables it after failures. */
export function RateGroup({ maySet, ...props }: RateProps & SettingsProps) {
  const { timeoutMs, retryDelaysSeconds, ratePerSecond, concurrencyMax, recovery } = props.endpoint.delivery;
  return (
    <Group title={<Trans>Rate and retries</Trans>} change={maySet && 'pace'}>
      <Values>
        <RateValue {...props} name="retryDelaysSeconds" isRetries>
          <ScheduleWords delays={retryDelaysSeconds} />
        </RateValue>
        <RateValue {...props} name="timeoutMs">
          {duration(timeoutMs)}
        </RateValue>
        <RateValue {...props} name="recovery">
          {recovery === 'AUTOMATIC' ? <Trans>It comes back by itself.</Trans> : <Trans>Manual</Trans>}
        </RateValue>
        <RateValue {...props} name="ratePerSecond">
          {ratePerSecond == null ? <Trans>no limit</Trans> : <Trans>{count(ratePerSecond)} a second</Trans>}
        </RateValue>
        <RateValue {...props} name="concurrencyMax">
          {count(concurrencyMax)}
        </RateValue>
      </Values>
    </Group>
  );
}

type RateName = 'timeoutMs' | 'retryDelaysSeconds' | 'ratePerSecond' | 'concurrencyMax' | 'recovery';

/** A value, and where it comes from. */
function RateValue({
  endpoint,
  inherited,
  name,
  isRetries = false,
  children,
}: RateProps & { name: RateName; isRetries?: boolean; children: ReactNode }) {
  const { i18n } = useLingui();
  const isIn = (own: readonly string[]) => own.includes(optionName(name));
  return (
    <Value name={i18n._(ENDPOINT_FIELDS[name].name)} wide={isRetries} high={isRetries}>
      <span className="figures">{children}</span>{' '}
      <Remark>
        {isIn(endpoint.delivery.own) ? (
          <Trans>set here</Trans>
        ) : isIn(inherited) ? (
          <Trans>default of the tenant</Trans>
        ) : name === 'ratePerSecond' && isChat(endpoint.content.format) ? (
          <Trans>default of the format</Trans>
        ) : (
          <Trans>default of the service</Trans>
        )}
      </Remark>
      {isRetries && (
        <div className="max-sm:hidden">
          <RetryLine delays={endpoint.delivery.retryDelaysSeconds} />
        </div>
      )}
    </Value>
  );
}
