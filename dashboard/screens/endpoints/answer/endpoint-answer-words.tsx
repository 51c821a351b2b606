import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { DISABLE_AFTER_FAILURES, HELD_SHOWN_MAX } from '../../../../src/domain/health-limits';
import { shortly, Time } from '../../../parts/time';
import { count, countUpTo, duration } from '../../../text/numbers';
import { remedyFor } from '../../../text/remedies';
import type { ShownEndpoint } from '../use-endpoint';
import type { EndpointAnswer, Hold } from './endpoint-answer';

interface Words {
  answer: EndpointAnswer;
  endpoint: ShownEndpoint;
}

/** The answer in one sentence. */
export function Headline({ answer }: Words): ReactNode {
  const { t } = useLingui();
  const since = 'since' in answer && answer.since !== null ? shortly(answer.since) : t`a while`;
  switch (answer.kind) {
    case 'disabled':
      return answer.errorCode === null ? (
        <Trans>Disabled since {since}: ten attempts in a row have failed.</Trans>
      ) : (
        <Trans>
          Disabled since {since}: ten attempts in a row have failed, the latest because <Why code={answer.errorCode} />.
        </Trans>
      );
    case 'gone':
      return <Trans>Disabled since {since}: it answered 410, so it wants no more deliveries.</Trans>;
    case 'paused':
      return <Trans>Paused since {since}: somebody has stopped its deliveries.</Trans>;
    case 'closed':
      return <Trans>It has asked for a pause: nothing is sent until {shortly(answer.until)}.</Trans>;
    case 'failing':
      return <FailingSentence {...answer} />;
    case 'slow':
      return (
        <Trans>
          Slow: deliveries have been waiting for their turn since {since}, and take {duration(answer.meanMs)} each.
        </Trans>
      );
    case 'keeping':
      return (
        <Trans>
          Active, and <Held held={answer.held} /> until you release them.
        </Trans>
      );
    case 'first':
      return <Trans>Its first delivery is on its way.</Trans>;
    case 'unused':
      return <Trans>Nothing has been sent here yet.</Trans>;
    case 'untried':
      return answer.errorCode === null ? (
        <Trans>Active, but its latest attempt has failed.</Trans>
      ) : (
        <Trans>
          Active, but its latest attempt has failed, because <Why code={answer.errorCode} />.
        </Trans>
      );
    case 'flaky':
      return answer.errorCode === null ? (
        <Trans>
          It works, but {count(answer.failures)} of {count(answer.attempts)} attempts in the last 24 hours have failed.
        </Trans>
      ) : (
        <Trans>
          It works, but {count(answer.failures)} of {count(answer.attempts)} attempts in the last 24 hours have failed,
          the latest because <Why code={answer.errorCode} />.
        </Trans>
      );
    case 'healthy':
      return (
        <Trans>
          Healthy: the last delivery arrived <Time value={answer.lastSuccessAt} />.
        </Trans>
      );
  }
}

/** The consequences: the number of held deliveries, and the next step. */
export function Detail({ answer, endpoint }: Words): ReactNode {
  const { backlog } = endpoint;
  const upTo = (value: number) => countUpTo(value, backlog?.countMax ?? Number.POSITIVE_INFINITY);
  switch (answer.kind) {
    case 'disabled':
    case 'gone':
    case 'paused':
      return <HoldSentence hold={answer.hold} />;
    case 'closed':
      return <Trans>{upTo(answer.open)} deliveries wait for that. Then they begin slowly.</Trans>;
    case 'failing':
      return (
        <>
          {answer.nextAttemptAt !== null && (
            <Trans>
              The next attempt is <Time value={answer.nextAttemptAt} next />.{' '}
            </Trans>
          )}
          <Plural
            value={DISABLE_AFTER_FAILURES - answer.failures}
            one="One more failure in a row disables it."
            other="# more failures in a row disable it."
          />
        </>
      );
    case 'slow':
      return (
        <Trans>
          {upTo(answer.due)} are due, and {count(answer.window ?? 1)} are sent at a time: fast answers raise that.
        </Trans>
      );
    case 'keeping':
      return <Trans>Send a test first, and release them when it has arrived.</Trans>;
    case 'first':
      return <Trans>Its answer will stand here.</Trans>;
    case 'unused':
      return endpoint.eventTypes.includes('*') ? (
        <Trans>It gets every event from now on. A test shows whether it answers.</Trans>
      ) : (
        <Plural
          value={endpoint.eventTypes.length}
          one="It gets events of one type from now on. A test shows whether it answers."
          other="It gets events of # types from now on. A test shows whether it answers."
        />
      );
    case 'untried':
      return (
        <Trans>
          The latest failure was <Time value={answer.lastFailureAt} />. A test shows whether it works now.
        </Trans>
      );
    case 'flaky':
      return (
        answer.lastFailureAt !== null && (
          <Trans>
            The latest failure was <Time value={answer.lastFailureAt} />.
          </Trans>
        )
      );
    case 'healthy':
      return answer.lastFailureAt === null ? (
        <Trans>No attempt has ever failed.</Trans>
      ) : (
        <Trans>
          No failure since {shortly(answer.lastFailureAt)}, <Time value={answer.lastFailureAt} />.
        </Trans>
      );
  }
}

function FailingSentence({ failures, since, errorCode }: EndpointAnswer & { kind: 'failing' }): ReactNode {
  const why = errorCode === null ? <Trans>an attempt has failed</Trans> : <Why code={errorCode} />;
  const many =
    failures === 1 ? (
      <Trans>Its latest attempt failed, because {why}.</Trans>
    ) : (
      <Trans>
        {failures} attempts in a row have failed, the latest because {why}.
      </Trans>
    );
  return (
    <>
      {many}{' '}
      {since === null ? (
        <Trans>It has never answered with a success.</Trans>
      ) : (
        <Trans>Its last success was at {shortly(since)}.</Trans>
      )}
    </>
  );
}

function Why({ code }: { code: string }) {
  const { i18n } = useLingui();
  return <>{i18n._(remedyFor(code).why)}</>;
}

function Held({ held }: { held: number }) {
  return held === 1 ? (
    <Trans>one delivery is held</Trans>
  ) : (
    <Trans>{countUpTo(held, HELD_SHOWN_MAX)} deliveries are held</Trans>
  );
}

function HoldSentence({ hold: { held, until, over } }: { hold: Hold }): ReactNode {
  if (over) {
    return (
      <Trans>
        The time to hold is over: what was held is canceled, and further events get no delivery. They can be replayed.
      </Trans>
    );
  }
  const end = until === null ? '–' : shortly(until);
  return held === 0 ? (
    <Trans>Nothing is held yet. What comes is held until {end}, then canceled.</Trans>
  ) : (
    <Trans>
      <Held held={held} /> until {end}, then canceled.
    </Trans>
  );
}
