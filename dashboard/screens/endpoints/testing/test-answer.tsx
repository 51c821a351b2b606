import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from 'urql';
import { buttonLook } from '../../../parts/button';
import { Answer, Failure } from '../../../parts/page';
import { Link } from '../../../parts/place';
import { useRefresh } from '../../../parts/refresh';
import { shortly, Time } from '../../../parts/time';
import { duration } from '../../../text/numbers';
import { remedyFor } from '../../../text/remedies';
import { statusText } from '../../../text/status-codes';
import { TEST_RESULT } from '../later-documents';
import { Remedy } from '../remedy';

/** A test is mostly answered in less, and then comes by the stream of updates. */
const ASK_MS = 3_000;

/** The result of a test: nothing yet, the answer, or why there was none. It comes without live updates, too. */
export function TestAnswer({
  id,
  closedUntil,
  linked = true,
}: {
  id: string;
  closedUntil: string | null;
  /** Whether it leads to the delivery: not beside what is shown once. */
  linked?: boolean;
}) {
  const [{ data, error }, again] = useQuery({ query: TEST_RESULT, variables: { id } });
  const delivery = data?.delivery;
  const attempt = delivery?.attempts.at(-1);
  useRefresh(again, attempt === undefined ? ASK_MS : undefined);
  if (error) {
    return <Failure error={error} retry={again} />;
  }
  if (!delivery || !attempt) {
    return (
      <Answer tone="info">
        {closedUntil !== null && Date.parse(closedUntil) > Date.now() ? (
          <Trans>The test waits until {shortly(closedUntil)}, because the endpoint asked for a pause.</Trans>
        ) : (
          <Trans>The test is on its way …</Trans>
        )}
      </Answer>
    );
  }
  const link = linked && (
    <Link to={`/deliveries/${delivery.databaseId}`} className={buttonLook()}>
      <Trans>See the delivery</Trans>
    </Link>
  );
  const took = duration(attempt.durationMs);
  if (delivery.status === 'SUCCEEDED') {
    return (
      <Answer tone="good" actions={link}>
        <p className="font-medium">
          <Trans>
            The endpoint answered {statusText(attempt.statusCode ?? 0)} in {took}.
          </Trans>
        </p>
      </Answer>
    );
  }
  return (
    <Answer tone="bad" actions={link}>
      <Failed code={attempt.errorCode ?? ''} took={took} nextAttemptAt={delivery.nextAttemptAt} />
    </Answer>
  );
}

interface FailedProps {
  code: string;
  took: string;
  nextAttemptAt: string | null | undefined;
}

function Failed({ code, took, nextAttemptAt }: FailedProps) {
  const { i18n } = useLingui();
  return (
    <>
      <p className="font-medium">
        <Trans>
          The test failed after {took}, because {i18n._(remedyFor(code).why)}.
        </Trans>
      </p>
      <p className="text-sm text-soft">
        <Remedy code={code} />{' '}
        {nextAttemptAt && (
          <Trans>
            It is sent again <Time value={nextAttemptAt} next />.
          </Trans>
        )}
      </p>
    </>
  );
}
