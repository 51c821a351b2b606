import { Trans, useLingui } from '@lingui/react/macro';
import { Ban, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../parts/button';
import { count } from '../../../text/numbers';
import type { Row } from '../list/use-feed';
import { OneByOne } from './one-by-one';

/** The actions on the chosen rows. */
export function ChosenBar({ rows, onClear }: { rows: readonly Row[]; onClear: () => void }) {
  const { t } = useLingui();
  const [doing, setDoing] = useState<'resend' | 'cancel'>();
  const open = rows.filter(isOpen);
  const finished = rows.filter((row) => !isOpen(row));
  return (
    <>
      <span className="figures font-medium text-ink">
        <Trans>{count(rows.length)} chosen</Trans>
      </span>
      <div className="flex flex-wrap gap-1.5">
        <Button
          icon={<RotateCcw />}
          onClick={() => setDoing('resend')}
          refused={finished.length === 0 ? t`Only what is finished can be sent again.` : undefined}
        >
          <Trans>Send again</Trans>
        </Button>
        <Button
          icon={<Ban />}
          onClick={() => setDoing('cancel')}
          refused={open.length === 0 ? t`Only what is pending or held can be canceled.` : undefined}
        >
          <Trans>Cancel</Trans>
        </Button>
        <Button look="quiet" onClick={onClear}>
          <Trans>Choose none</Trans>
        </Button>
      </div>
      {doing !== undefined && (
        <OneByOne
          action={doing}
          rows={doing === 'resend' ? finished : open}
          left={doing === 'resend' ? open.length : finished.length}
          onClose={(done) => {
            setDoing(undefined);
            if (done) {
              onClear();
            }
          }}
        />
      )}
    </>
  );
}

function isOpen({ status }: Row): boolean {
  return status === 'PENDING' || status === 'HELD';
}
