import { Trans } from '@lingui/react/macro';
import { Time } from '../../../parts/time';
import { NoEcho } from '../ownership/no-proof-words';
import type { EndpointAnswer } from './endpoint-answer';
import { HoldSentence } from './hold-words';

export type UnverifiedProps = Extract<EndpointAnswer, { kind: 'unverified' }>;

/** What an endpoint without a proof answered, when it is asked again, and what becomes of its deliveries. */
export default function UnverifiedDetail({ code, askedAgainAt, hold }: UnverifiedProps) {
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
