import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { DISABLE_AFTER_FAILURES } from '../../../../src/domain/deliveries/health-limits';
import { shortly, Time } from '../../../parts/time';
import { count, countUpTo, duration } from '../../../text/numbers';
import { remedyFor } from '../../../text/remedies';
import { NoEcho } from '../ownership/no-proof-words';
import { EndingSentence } from '../tls/ending-sentence';
import { TlsLink } from '../tls/tls-link';
import type { ShownEndpoint } from '../use-endpoint';
import type { EndpointAnswer } from './endpoint-answer';
import { Held, HoldSentence } from './hold-words';

type Of<Kind extends EndpointAnswer['kind']> = Extract<EndpointAnswer, { kind: Kind }>;

/** The answer in one sentence. */
export function Headline({ answer }: { answer: EndpointAnswer }): ReactNode {
  switch (answer.kind) {
    case 'disabled':
      return <DisabledSentence {...answer} />;
    case 'gone':
      return (
        <Trans>
          Disabled since <Since since={answer.since} />: it answered 410 Gone, so it gets no more deliveries.
        </Trans>
      );
    case 'paused':
      return (
        <Trans>
          Paused since <Since since={answer.since} />: someone stopped its deliveries.
        </Trans>
      );
    case 'unverified':
      return <Trans>Not verified: the endpoint has not proved that it wants deliveries.</Trans>;
    case 'closed':
      return <Trans>It asked for a pause: nothing is sent until {shortly(answer.until)}.</Trans>;
    case 'failing':
      return <FailingSentence {...answer} />;
    case 'slow':
      return <SlowSentence {...answer} />;
    case 'behind':
      return (
        <Trans>
          {duration(answer.behindMs)} behind, because you allow {count(answer.ratePerSecond)} a second.
        </Trans>
      );
    case 'limited':
      return (
        <Trans>Deliveries have been waiting since {shortly(answer.since)}: the operator limits this tenant.</Trans>
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
      return <Trans>No event has been sent here so far.</Trans>;
    case 'untried':
      return <UntriedSentence {...answer} />;
    case 'flaky':
      return <FlakySentence {...answer} />;
    case 'ending':
      return <EndingSentence {...answer} />;
    case 'healthy':
      return (
        <Trans>
          Healthy: the last delivery arrived <Time value={answer.lastSuccessAt} />.
        </Trans>
      );
  }
}

/** The consequences: the number of held deliveries, and the next step. */
export function Detail({ answer, endpoint }: { answer: EndpointAnswer; endpoint: ShownEndpoint }): ReactNode {
  const upTo = (value: number) => countUpTo(value, endpoint.backlog?.countMax ?? Number.POSITIVE_INFINITY);
  switch (answer.kind) {
    case 'disabled':
    case 'gone':
    case 'paused':
      return <HoldSentence hold={answer.hold} />;
    case 'unverified':
      return <UnverifiedDetail {...answer} />;
    case 'closed':
      return <Trans>{upTo(answer.open)} deliveries are waiting. Sending then starts slowly.</Trans>;
    case 'failing':
      return <FailingDetail {...answer} />;
    case 'slow':
      return (
        <Trans>
          {upTo(answer.due)} due, {count(answer.window ?? 1)} sent in parallel. Faster responses raise this limit.
        </Trans>
      );
    case 'behind':
      return <Trans>{upTo(answer.due)} deliveries are waiting. A higher rate sends them sooner.</Trans>;
    case 'limited':
      return <Trans>{upTo(answer.due)} due. The overview says how much is sent, and why.</Trans>;
    case 'keeping':
      return <Trans>Send a test first, and release them once it arrives.</Trans>;
    case 'first':
      return <Trans>Its answer will appear here.</Trans>;
    case 'unused':
      return <UnusedDetail eventTypes={endpoint.eventTypes} />;
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
    case 'ending':
      return <TlsLink endpoint={endpoint} />;
    case 'healthy':
      return <HealthyDetail {...answer} />;
  }
}

function UnverifiedDetail({ code, askedAgainAt, hold }: Of<'unverified'>) {
  return (
    <>
      {code !== null && (
        <>
          <NoEcho code={code} />{' '}
        </>
      )}
      {askedAgainAt !== null && (
        <Trans>
          It is asked again <Time value={askedAgainAt} next />.{' '}
        </Trans>
      )}
      <HoldSentence hold={hold} />
    </>
  );
}

function Since({ since }: { since: string | null }) {
  return since === null ? <Trans>a while</Trans> : shortly(since);
}

function DisabledSentence(answer: Of<'disabled'>) {
  const since = <Since since={answer.since} />;
  return answer.errorCode === null ? (
    <Trans>Disabled since {since}: ten attempts in a row have failed.</Trans>
  ) : (
    <Trans>
      Disabled since {since}: ten attempts in a row have failed, the latest because <Why code={answer.errorCode} />.
    </Trans>
  );
}

function FailingSentence({ failures, since, errorCode }: Of<'failing'>) {
  const why = errorCode === null ? <Trans>an attempt failed</Trans> : <Why code={errorCode} />;
  return (
    <>
      {failures === 1 ? (
        <Trans>Its latest attempt failed, because {why}.</Trans>
      ) : (
        <Trans>
          {failures} attempts in a row have failed, the latest because {why}.
        </Trans>
      )}{' '}
      {since === null ? (
        <Trans>It has never answered successfully.</Trans>
      ) : (
        <Trans>Its last success was at {shortly(since)}.</Trans>
      )}
    </>
  );
}

function FailingDetail({ failures, nextAttemptAt }: Of<'failing'>) {
  return (
    <>
      {nextAttemptAt !== null && (
        <Trans>
          The next attempt is <Time value={nextAttemptAt} next />.{' '}
        </Trans>
      )}
      <Plural
        value={DISABLE_AFTER_FAILURES - failures}
        one="One more failure in a row disables it."
        other="# more failures in a row disable it."
      />
    </>
  );
}

function SlowSentence({ since, meanMs }: Of<'slow'>) {
  return meanMs === null ? (
    <Trans>Deliveries have been waiting since {shortly(since)}, and are being sent.</Trans>
  ) : (
    <Trans>
      Slow: deliveries have been waiting since {shortly(since)}, and take {duration(meanMs)} each.
    </Trans>
  );
}

function UntriedSentence({ errorCode }: Of<'untried'>) {
  return errorCode === null ? (
    <Trans>Active, but its latest attempt failed.</Trans>
  ) : (
    <Trans>
      Active, but its latest attempt failed, because <Why code={errorCode} />.
    </Trans>
  );
}

function FlakySentence({ failures, attempts, errorCode }: Of<'flaky'>) {
  return errorCode === null ? (
    <Trans>
      It works, but {count(failures)} of {count(attempts)} attempts in the last 24 hours have failed.
    </Trans>
  ) : (
    <Trans>
      It works, but {count(failures)} of {count(attempts)} attempts in the last 24 hours have failed, the latest because{' '}
      <Why code={errorCode} />.
    </Trans>
  );
}

function UnusedDetail({ eventTypes }: { eventTypes: readonly string[] }) {
  return eventTypes.includes('*') ? (
    <Trans>It receives every event from now on. Send a test to check that it answers.</Trans>
  ) : (
    <Plural
      value={eventTypes.length}
      one="It receives events of one type from now on. Send a test to check that it answers."
      other="It receives events of # types from now on. Send a test to check that it answers."
    />
  );
}

function HealthyDetail({ lastFailureAt }: Of<'healthy'>) {
  return lastFailureAt === null ? (
    <Trans>No attempt has ever failed.</Trans>
  ) : (
    <Trans>
      No failure since {shortly(lastFailureAt)}, <Time value={lastFailureAt} />.
    </Trans>
  );
}

function Why({ code }: { code: string }) {
  const { i18n } = useLingui();
  return <>{i18n._(remedyFor(code).why)}</>;
}
