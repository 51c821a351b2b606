import { Trans } from '@lingui/react/macro';
import type { CombinedError } from 'urql';
import { Answer, Failure } from '../../../parts/page';
import { TestAnswer } from './test-answer';

/** The answer to a check, as it comes. @param sent its delivery; undefined where there is an error */
export default function CheckAnswer({ error, sent }: { error: CombinedError | undefined; sent: string | undefined }) {
  if (error) {
    return isTooOften(error) ? <TooOften error={error} /> : <Failure error={error} />;
  }
  return sent !== undefined && <TestAnswer key={sent} id={sent} closedUntil={null} />;
}

/** In the person's language, since anybody who repairs an endpoint meets it. */
const isTooOften = ({ graphQLErrors }: CombinedError) => graphQLErrors[0]?.extensions?.['code'] === 'RATE_LIMITED';

function TooOften({ error }: { error: CombinedError }) {
  const seconds = Number(error.graphQLErrors[0]?.extensions?.['retryAfterSeconds']);
  return (
    <Answer tone="warn">
      <Trans>Nothing was sent: an endpoint can be checked six times a minute. Try again in {seconds} s.</Trans>
    </Answer>
  );
}
