import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { isChat } from '../../../../src/domain/content/formats';
import { optionName } from '../../../../src/domain/fields/field';
import { Button } from '../../../parts/button';
import { Card, Fact, Facts, Failure } from '../../../parts/page';
import { RetryLine, ScheduleWords } from '../../../parts/retry-line';
import { Time } from '../../../parts/time';
import { notify } from '../../../parts/toast';
import { useWritable } from '../../../parts/viewer';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { count, duration } from '../../../text/numbers';
import { useAction, useOffered } from '../actions';
import { PROBE_ENDPOINT } from '../documents';
import type { ShownEndpoint } from '../use-endpoint';

interface PaceProps {
  endpoint: ShownEndpoint;
  /** The values that the endpoints of its tenant inherit. */
  inherited: readonly string[];
}

/** How an endpoint is called: time limit, retries, pace, and who enables it after failures. */
export function PaceCard(props: PaceProps) {
  const { endpoint } = props;
  const [, start] = useAction();
  const isWritable = useWritable();
  const mayChange = useOffered(endpoint)('pace') && (isWritable('pace') || isWritable('retry'));
  const { timeoutMs, retryDelaysSeconds, ratePerSecond, concurrencyMax, recovery } = endpoint.delivery;
  return (
    <Card
      title={<Trans>Pace and retries</Trans>}
      actions={
        mayChange && (
          <Button onClick={() => start('pace')}>
            <Trans>Change</Trans>
          </Button>
        )
      }
    >
      <Facts>
        <PaceFact {...props} name="timeoutMs">
          {duration(timeoutMs)}
        </PaceFact>
        <PaceFact {...props} name="retryDelaysSeconds">
          <ScheduleWords delays={retryDelaysSeconds} />
        </PaceFact>
        <PaceFact {...props} name="ratePerSecond">
          {ratePerSecond == null ? <Trans>no limit</Trans> : <Trans>{count(ratePerSecond)} a second</Trans>}
        </PaceFact>
        <PaceFact {...props} name="concurrencyMax">
          {count(concurrencyMax)}
        </PaceFact>
        <PaceFact {...props} name="recovery">
          {recovery === 'AUTOMATIC' ? <Trans>It comes back by itself.</Trans> : <Trans>A person enables it.</Trans>}
        </PaceFact>
      </Facts>
      <RetryLine delays={retryDelaysSeconds} />
      {endpoint.disabledReason === 'FAILURES' && <NextProbe endpoint={endpoint} />}
    </Card>
  );
}

type PaceName = 'timeoutMs' | 'retryDelaysSeconds' | 'ratePerSecond' | 'concurrencyMax' | 'recovery';

/** A value, and where it comes from. */
function PaceFact({ endpoint, inherited, name, children }: PaceProps & { name: PaceName; children: ReactNode }) {
  const { i18n } = useLingui();
  const isIn = (own: readonly string[]) => own.includes(optionName(name));
  return (
    <Fact name={i18n._(ENDPOINT_FIELDS[name].name)}>
      <span className="figures">{children}</span>
      <span className="block text-xs text-soft">
        {isIn(endpoint.delivery.own) ? (
          <Trans>set here</Trans>
        ) : isIn(inherited) ? (
          <Trans>default of the tenant</Trans>
        ) : name === 'ratePerSecond' && isChat(endpoint.content.format) ? (
          <Trans>default of the format</Trans>
        ) : (
          <Trans>default of the service</Trans>
        )}
      </span>
    </Fact>
  );
}

/** When the service looks at the endpoint again, while failures have disabled it. */
function NextProbe({ endpoint }: { endpoint: ShownEndpoint }) {
  const { t } = useLingui();
  const isOffered = useOffered(endpoint);
  const [{ fetching, error }, probe] = useMutation(PROBE_ENDPOINT);
  const { id, nextProbeAt } = endpoint;
  const look = async () => {
    const { data } = await probe({ input: { webhookId: id } });
    if (data) {
      notify(t`A delivery was sent. A success enables the endpoint.`);
    }
  };
  return (
    <div className="mt-3 flex flex-wrap items-center gap-2 text-sm">
      {nextProbeAt && (
        <span className="text-soft">
          <Trans>
            Next look: <Time value={nextProbeAt} next />
          </Trans>
        </span>
      )}
      {isOffered('edit') && (
        <Button onClick={() => void look()} disabled={fetching}>
          <Trans>Look now</Trans>
        </Button>
      )}
      {error && <Failure error={error} />}
    </div>
  );
}
