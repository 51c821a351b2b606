import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Button } from '../../parts/button';
import { REFUSAL } from '../../parts/first-refusal';
import { Answer } from '../../parts/page';

/** Somebody else has saved since the dialog was opened: the choice between their values and one's own. */
export function BriefConflict({
  take,
  overwrite,
  action,
  children,
}: {
  take: () => void;
  overwrite: () => void;
  /** The words for saving one's own. */
  action: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div {...REFUSAL}>
      <Answer
        tone="warn"
        actions={
          <>
            <Button onClick={take}>
              <Trans>Use the current values</Trans>
            </Button>
            <Button look="primary" onClick={overwrite}>
              {action}
            </Button>
          </>
        }
      >
        <Trans>Someone else changed this endpoint while you were editing it.</Trans>
        {children}
      </Answer>
    </div>
  );
}
