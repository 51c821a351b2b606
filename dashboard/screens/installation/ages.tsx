import { Trans } from '@lingui/react/macro';
import { Time } from '../../parts/time';

/** How old the figures of the screen are, in ISO 8601. */
export function Ages({
  now,
  attempts,
  findings,
}: {
  now: string | undefined;
  attempts: string | undefined;
  findings: string | null | undefined;
}) {
  return (
    <p className="figures flex flex-wrap gap-x-4 px-1 text-xs text-soft">
      {now !== undefined && (
        <span>
          <Trans>
            Current figures: <Time value={now} />
          </Trans>
        </span>
      )}
      {attempts !== undefined && (
        <span>
          <Trans>
            Attempts: <Time value={attempts} />, without the last minute or two
          </Trans>
        </span>
      )}
      {findings != null && (
        <span>
          <Trans>
            Checks: <Time value={findings} />
          </Trans>
        </span>
      )}
    </p>
  );
}
