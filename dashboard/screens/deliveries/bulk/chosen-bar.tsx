import { Trans } from '@lingui/react/macro';
import { Ban, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { useClient } from 'urql';
import type { DeliveryRowFragment } from '../../../api/generated/graphql';
import { BulkDialog } from '../../../parts/bulk-dialog';
import { Button } from '../../../parts/button';
import { count } from '../../../text/numbers';
import { CANCEL_DELIVERY, REDELIVER } from '../documents';
import { type BulkAction, useBulkWords } from './bulk-words';
import { useOneByOne } from './use-one-by-one';

type Rows = readonly DeliveryRowFragment[];

const ICONS = { resend: <RotateCcw />, cancel: <Ban /> };

/** The chosen rows whose state allows an action. */
const ALLOWED: Record<BulkAction, (row: DeliveryRowFragment) => boolean> = {
  resend: (row) => !isOpen(row),
  cancel: isOpen,
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
        {(['resend', 'cancel'] as const).map((action) => (
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
  const client = useClient();
  const words = useBulkWords()[action];
  const [allowed] = useState(() => rows.filter(ALLOWED[action]));
  const [left] = useState(rows.length - allowed.length);
  const send = ({ id }: DeliveryRowFragment) =>
    (action === 'resend'
      ? client.mutation(REDELIVER, { input: { deliveryId: id } })
      : client.mutation(CANCEL_DELIVERY, { input: { id } })
    ).toPromise();
  const work = useOneByOne(allowed, send, words.done);
  return (
    <BulkDialog {...words} work={work} onClose={() => onClose(work.progress !== undefined)}>
      {left > 0 && <p className="text-soft">{words.skipped(left)}</p>}
    </BulkDialog>
  );
}

function isOpen({ status }: DeliveryRowFragment): boolean {
  return status === 'PENDING' || status === 'HELD';
}
