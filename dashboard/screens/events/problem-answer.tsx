import { Trans } from '@lingui/react/macro';
import { Answer } from '../../parts/page';
import type { FilterProblem } from './event-filter';

/** Why payloads are not searched. */
export function ProblemAnswer({ problem }: { problem: FilterProblem }) {
  return (
    <Answer tone="info">
      {
        {
          TEXT_TOO_SHORT: <Trans>Enter at least 3 characters to search payloads.</Trans>,
          TEXT_TOO_LONG: <Trans>Enter at most 200 characters to search payloads.</Trans>,
          RANGE_TOO_LONG: <Trans>Payload search covers at most 7 days. Choose a shorter range.</Trans>,
        }[problem]
      }
    </Answer>
  );
}
