import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { DeliveryRowFragment } from '../../../api/generated/graphql';
import { Button, buttonLook } from '../../../parts/button';
import { Answer } from '../../../parts/page';
import { Link } from '../../../parts/place';
import { useClock } from '../../../parts/time';
import { useAllowed } from '../../../parts/viewer';
import { type Action, useAction, useOffered } from '../actions';
import { useVerify } from '../ownership/use-verify';
import { VerifyButton, VerifyFailure } from '../ownership/verify';
import { Remedy } from '../remedy';
import { CheckAnswer, CheckButton, useCheck } from '../testing/check';
import { type RequestLimits, type ShownEndpoint, troubleOf } from '../use-endpoint';
import { answerOf, type EndpointAnswer, toneOf } from './endpoint-answer';
import { Detail, Headline } from './endpoint-answer-words';

/** How often the sentence is made again while only the time changes. */
const STEP_MS = 5_000;

/** The buttons under each answer, the likeliest last, as in dialogs. */
const REMEDIES: Partial<Record<EndpointAnswer['kind'], Action[]>> = {
  disabled: ['edit', 'enable'],
  gone: ['delete', 'enable'],
  paused: ['enable'],
  unverified: ['edit'],
  failing: ['test'],
  keeping: ['test', 'release'],
  unused: ['test'],
  untried: ['test'],
};

/** How the endpoint is, why, and what to do now. */
export function EndpointAnswerView({
  endpoint,
  limits,
}: {
  endpoint: ShownEndpoint;
  limits: RequestLimits | undefined;
}) {
  const now = useClock((time) => Math.floor(time / STEP_MS) * STEP_MS);
  const mayRead = useAllowed('deliveries:read');
  const isOffered = useOffered(endpoint);
  const check = useCheck(endpoint);
  const verify = useVerify(endpoint);
  const trouble = troubleOf(endpoint);
  const answer = answerOf(
    {
      ...endpoint,
      tenantLimits: limits,
      errorCode: trouble?.errorCode ?? null,
      nextAttemptAt: endpoint.nextAttempts?.[0]?.nextAttemptAt ?? null,
    },
    now,
  );
  const errorCode = 'errorCode' in answer ? answer.errorCode : null;
  return (
    <>
      <Answer
        tone={toneOf(answer)}
        actions={
          <>
            {errorCode !== null && mayRead && (
              <Link {...placeOf(endpoint, trouble?.delivery, errorCode)} className={buttonLook()}>
                <Trans>See what failed</Trans>
              </Link>
            )}
            <CheckButton check={check} />
            <VerifyButton verify={verify} />
            {(REMEDIES[answer.kind] ?? []).filter(isOffered).map((action) => (
              <RemedyButton key={action} action={action} />
            ))}
          </>
        }
      >
        <p className="font-medium">
          <Headline answer={answer} />
        </p>
        <Explanation answer={answer} endpoint={endpoint} errorCode={errorCode} />
      </Answer>
      <CheckAnswer check={check} />
      <VerifyFailure verify={verify} />
    </>
  );
}

/** The remedy for a failure, and how long the state lasts. */
function Explanation({
  answer,
  endpoint,
  errorCode,
}: {
  answer: EndpointAnswer;
  endpoint: ShownEndpoint;
  errorCode: string | null;
}) {
  return (
    <p className="text-sm text-soft">
      {errorCode !== null && (
        <>
          {answer.kind === 'flaky' && (
            <>
              <Trans>If it happens again:</Trans>{' '}
            </>
          )}
          <Remedy code={errorCode} endpoint={endpoint} />{' '}
        </>
      )}
      <Detail answer={answer} endpoint={endpoint} />
    </p>
  );
}

/** The delivery that failed, else all that failed for this reason. */
function placeOf({ databaseId }: ShownEndpoint, delivery: DeliveryRowFragment | undefined, error: string) {
  return delivery === undefined
    ? { to: '/deliveries', search: { endpoint: String(databaseId), error } }
    : { to: `/deliveries/${delivery.databaseId}` };
}

function RemedyButton({ action }: { action: Action }): ReactNode {
  const { t } = useLingui();
  const [, start] = useAction();
  const names: Partial<Record<Action, string>> = {
    enable: t`Enable`,
    edit: t`Change the URL`,
    test: t`Send a test`,
    release: t`Release`,
    delete: t`Delete`,
  };
  const look = action === 'enable' || action === 'release' ? 'primary' : 'plain';
  return (
    <Button look={look} onClick={() => start(action)}>
      {names[action]}
    </Button>
  );
}
