import { Plural, Trans } from '@lingui/react/macro';
import type { LimitedFragment } from '../../api/generated/graphql';
import { Answer } from '../../parts/page';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { bytes } from '../../text/numbers';

/** Says to the people of a limited tenant, and to the operator, what it may, why, and since when. */
export default function LimitNotice({ limits, since }: { limits: LimitedFragment['limits']; since: string }) {
  const { reason, eventsPerSecond, requestsPerSecond, requestsAtOnce, endpointsMax, bodyBytesMax } = limits;
  const size = bytes(bodyBytesMax ?? 0);
  return (
    <Answer tone="warn">
      <p className="font-medium">
        <Trans>
          The operator has limited this tenant since <Time value={since} absolute />.
        </Trans>
      </p>
      {reason != null && (
        <p>
          <Trans>
            Reason: <Untrusted text={reason} />
          </Trans>
        </p>
      )}
      <ul className="mt-1 list-disc ps-5 text-sm">
        {eventsPerSecond != null && (
          <li>
            <Plural
              value={eventsPerSecond}
              one="At most # event a second. Others are refused with 429."
              other="At most # events a second. Others are refused with 429."
            />
          </li>
        )}
        {requestsPerSecond != null && (
          <li>
            <Plural
              value={requestsPerSecond}
              one="At most # request a second to all endpoints together. Other deliveries wait."
              other="At most # requests a second to all endpoints together. Other deliveries wait."
            />
          </li>
        )}
        {requestsAtOnce != null && (
          <li>
            <Plural
              value={requestsAtOnce}
              one="At most # request at a time to all endpoints together. Other deliveries wait."
              other="At most # requests at a time to all endpoints together. Other deliveries wait."
            />
          </li>
        )}
        {endpointsMax != null && (
          <li>
            <Plural value={endpointsMax} one="At most # endpoint." other="At most # endpoints." />
          </li>
        )}
        {bodyBytesMax != null && (
          <li>
            <Trans>Payloads of at most {size}.</Trans>
          </li>
        )}
      </ul>
    </Answer>
  );
}
