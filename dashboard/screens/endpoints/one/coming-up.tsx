import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { HELD_SHOWN_MAX } from '../../../../src/domain/deliveries/health-limits';
import { Button } from '../../../parts/button';
import { Card, Fact, Facts, Failure } from '../../../parts/page';
import { shortly, Time, useClock } from '../../../parts/time';
import { notify } from '../../../parts/toast';
import { count, countUpTo, duration } from '../../../text/numbers';
import { useAction, useOffered } from '../actions';
import { PROBE_ENDPOINT } from '../later-documents';
import type { ShownEndpoint } from '../use-endpoint';

interface EndpointProps {
  endpoint: ShownEndpoint;
}

/** The deliveries that are still to be sent, and when. */
export function ComingUp({ endpoint }: EndpointProps) {
  const { backlog, endpointState, heldCount } = endpoint;
  const upTo = (value: number) => countUpTo(value, backlog?.countMax ?? Number.POSITIVE_INFINITY);
  return (
    <Card title={<Trans>Coming up</Trans>}>
      <Facts>
        <Fact name={<Trans>Due now</Trans>}>
          <Figures value={upTo(backlog?.due ?? 0)}>
            {backlog?.oldestDueAt && (
              <Trans>
                the oldest <Time value={backlog.oldestDueAt} />
              </Trans>
            )}
          </Figures>
        </Fact>
        <Fact name={<Trans>Scheduled</Trans>}>
          <Scheduled endpoint={endpoint} scheduled={upTo(backlog?.scheduled ?? 0)} />
        </Fact>
        {(backlog?.waiting ?? 0) > 0 && (
          <Fact name={<Trans>Waiting</Trans>}>
            <Figures value={upTo(backlog?.waiting ?? 0)}>
              <Trans>for earlier ones of their key</Trans>
            </Figures>
          </Fact>
        )}
        {heldCount > 0 && (
          <Fact name={<Trans>Held</Trans>}>
            <span className="figures font-medium text-warn">{countUpTo(heldCount, HELD_SHOWN_MAX)}</span>
          </Fact>
        )}
        {endpointState && (
          <Fact name={<Trans>In flight</Trans>}>
            <InFlight {...endpointState} />
          </Fact>
        )}
        {endpoint.disabledReason === 'FAILURES' && <NextCheck endpoint={endpoint} />}
      </Facts>
    </Card>
  );
}

/** A figure, and a remark behind it. */
function Figures({ value, children }: { value: ReactNode; children: ReactNode }) {
  return (
    <span className="figures">
      {value} <span className="text-soft">{children}</span>
    </span>
  );
}

function InFlight({ inFlight, window, meanMs }: NonNullable<ShownEndpoint['endpointState']>) {
  const [now, most] = [count(inFlight), count(window)];
  return (
    <span className="figures">
      {meanMs == null ? (
        <Trans>
          {now} of {most}
        </Trans>
      ) : (
        <Trans>
          {now} of {most} · {duration(meanMs)} on average
        </Trans>
      )}
    </span>
  );
}

/** Many may be planned for one minute, as after a pause that the endpoint has asked for. */
function Scheduled({
  endpoint: { backlog, nextAttempts, ...endpoint },
  scheduled,
}: EndpointProps & { scheduled: string }) {
  const [, start] = useAction();
  const isOffered = useOffered(endpoint);
  const now = useClock((time) => Math.floor(time / 1_000) * 1_000);
  const times = (nextAttempts ?? []).flatMap(({ nextAttemptAt: at }) =>
    at != null && Date.parse(at) > now ? [shortly(at)] : [],
  );
  return (
    <>
      <Figures value={scheduled}>{[...new Set(times)].join(' · ')}</Figures>
      {isOffered('attempt') && (backlog?.scheduled ?? 0) > 0 && (
        <div className="mt-1.5">
          <Button onClick={() => start('attempt')}>
            <Trans>Try now</Trans>
          </Button>
        </div>
      )}
    </>
  );
}

/** When the service looks at the endpoint again, while failures have disabled it. */
function NextCheck({ endpoint }: EndpointProps) {
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
    <Fact name={<Trans>Next check</Trans>}>
      {nextProbeAt ? <Time value={nextProbeAt} next /> : '–'}
      {isOffered('edit') && (
        <div className="mt-1.5">
          <Button onClick={() => void look()} disabled={fetching}>
            <Trans>Check the endpoint now</Trans>
          </Button>
        </div>
      )}
      {error && <Failure error={error} />}
    </Fact>
  );
}
