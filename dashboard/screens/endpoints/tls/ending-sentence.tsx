import { Trans } from '@lingui/react/macro';
import { Time } from '../../../parts/time';
import type { EndpointAnswer } from '../answer/endpoint-answer';

/** The certificate of a working endpoint that ends soon, or has ended. */
export function EndingSentence({ certificate, endsAt, isOver }: Extract<EndpointAnswer, { kind: 'ending' }>) {
  const ends = <Time value={endsAt} next={!isOver} />;
  if (certificate === 'CA') {
    return isOver ? (
      <Trans>The last certificate of its trusted authorities expired {ends}.</Trans>
    ) : (
      <Trans>The last certificate of its trusted authorities expires {ends}.</Trans>
    );
  }
  return isOver ? (
    <Trans>Its client certificate expired {ends}.</Trans>
  ) : (
    <Trans>Its client certificate expires {ends}.</Trans>
  );
}
