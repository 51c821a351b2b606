import { Plural, Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { LimitedFragment } from '../../api/generated/graphql';
import { Answer } from '../../parts/page';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { bytes } from '../../text/numbers';

/** Says to the people of a limited tenant, and to the operator, what it may, why, and since when. */
export default function LimitNotice({ limits, since }: { limits: LimitedFragment['limits']; since: string }) {
  return (
    <Answer tone="warn">
      <p className="font-medium">
        <Trans>
          The operator has limited this tenant since <Time value={since} absolute />.
        </Trans>
      </p>
      {limits.reason != null && (
        <p>
          <Trans>
            Reason: <Untrusted text={limits.reason} />
          </Trans>
        </p>
      )}
      <ul className="mt-1 list-disc ps-5 text-sm">
        {linesOf(limits).map(({ name, line }) => (
          <li key={name}>{line}</li>
        ))}
      </ul>
    </Answer>
  );
}

/** A line for each limit that is set. */
function linesOf(limits: LimitedFragment['limits']): { name: string; line: ReactNode }[] {
  const { eventsPerSecond, requestsPerSecond, requestsAtOnce, endpointsMax, bodyBytesMax } = limits;
  const size = bytes(bodyBytesMax ?? 0);
  const lines = [
    eventsPerSecond != null && {
      name: 'eventsPerSecond',
      line: (
        <Plural
          value={eventsPerSecond}
          one="At most # event a second. Others are refused with 429."
          other="At most # events a second. Others are refused with 429."
        />
      ),
    },
    requestsPerSecond != null && {
      name: 'requestsPerSecond',
      line: (
        <Plural
          value={requestsPerSecond}
          one="At most # request a second to all endpoints together. Other deliveries wait."
          other="At most # requests a second to all endpoints together. Other deliveries wait."
        />
      ),
    },
    requestsAtOnce != null && {
      name: 'requestsAtOnce',
      line: (
        <Plural
          value={requestsAtOnce}
          one="At most # request at a time to all endpoints together. Other deliveries wait."
          other="At most # requests at a time to all endpoints together. Other deliveries wait."
        />
      ),
    },
    endpointsMax != null && {
      name: 'endpointsMax',
      line: <Plural value={endpointsMax} one="At most # endpoint." other="At most # endpoints." />,
    },
    bodyBytesMax != null && { name: 'bodyBytesMax', line: <Trans>Payloads of at most {size}.</Trans> },
  ];
  return lines.filter((line) => line !== false);
}
