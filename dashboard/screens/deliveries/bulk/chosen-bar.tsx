import { Trans } from '@lingui/react/macro';
import { Ban, FastForward, RotateCcw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useClient } from 'urql';
import type { DeliveryRowFragment } from '../../../api/generated/graphql';
import { BulkDialog, type BulkWork } from '../../../parts/bulk-dialog';
import { Button } from '../../../parts/button';
import { count } from '../../../text/numbers';
import { REDELIVER } from '../documents';
import { CANCEL_DELIVERY } from '../one/documents';
import { canCancel } from '../one/use-send';
import { BULK_ACTIONS, type BulkAction } from './bulk-forms';
import { useBulkWords } from './bulk-words';
import { useAttemptChosen } from './use-attempt-chosen';
import { useOneByOne } from './use-one-by-one';

type Rows = readonly DeliveryRowFragment[];

const ICONS: Record<BulkAction, ReactNode> = { resend: <RotateCcw />, attempt: <FastForward />, cancel: <Ban /> };

/** The chosen rows whose state allows an action. */
const ALLOWED: Record<BulkAction, (row: DeliveryRowFragment) => boolean> = {
  resend: (row) => !canCancel(row),
  attempt: ({ status }) => status === 'PENDING',
  cancel: canCancel,
};

/** The actions on the chosen rows. */
export function ChosenBar({ rows, onClear }: { rows: Rows; onClear: () => void }) {
  const words = useBulkWords();
  const [doing, setDoing] = useState<BulkAction>();
  return (
    <>
      <span className="figures font-medium text-ink">
        <Trans>{count(rows.length)} selected</Trans>
      </span>
      <div className="flex flex-wrap gap-1.5">
        {BULK_ACTIONS.map((action) => (
          <Button
            key={action}
            icon={ICONS[action]}
            onClick={() => setDoing(action)}
            refused={rows.some(ALLOWED[action]) ? undefined : words[action].allSkipped}
          >
            {words[action].name}
          </Button>
        ))}
        <Button look="quiet" onClick={onClear}>
          <Trans>Clear selection</Trans>
        </Button>
      </div>
      {doing !== undefined && (
        <ChosenDialog
          action={doing}
          rows={rows}
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

interface ChosenProps {
  action: BulkAction;
  rows: Rows;
  /** `done`: whether anything was. */
  onClose: (done: boolean) => void;
}

function ChosenDialog({ action, rows, onClose }: ChosenProps) {
  const words = useBulkWords()[action];
  // The list goes on changing below: what was asked about is what is done.
  const [allowed] = useState(() => rows.filter(ALLOWED[action]));
  const [left] = useState(rows.length - allowed.length);
  const Work = action === 'attempt' ? AttemptTogether : OneByOne;
  return (
    <Work action={action} rows={allowed}>
      {(work) => (
        <BulkDialog {...words} work={work} onClose={() => onClose(work.progress !== undefined)}>
          {left > 0 && <p className="text-soft">{words.skipped(left)}</p>}
        </BulkDialog>
      )}
    </Work>
  );
}

interface WorkProps {
  action: BulkAction;
  rows: Rows;
  children: (work: BulkWork) => ReactNode;
}

function AttemptTogether({ rows, children }: WorkProps) {
  return children(useAttemptChosen(rows));
}

function OneByOne({ action, rows, children }: WorkProps) {
  const client = useClient();
  const words = useBulkWords()[action];
  const send = ({ id }: DeliveryRowFragment) =>
    (action === 'resend'
      ? client.mutation(REDELIVER, { input: { deliveryId: id } })
      : client.mutation(CANCEL_DELIVERY, { input: { id } })
    ).toPromise();
  return children(useOneByOne(rows, send, words.done));
}
