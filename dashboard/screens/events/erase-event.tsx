import { Trans, useLingui } from '@lingui/react/macro';
import { Eraser } from 'lucide-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import { Button } from '../../parts/button';
import { useForm } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import { notify } from '../../parts/toast';
import { ERASE_EVENT } from './documents';
import { ReasonField } from './reason-field';

/** The button that erases the payload of an event, or of a scheduled one. */
export function EraseEvent({ id }: { id: string }) {
  const [asked, setAsked] = useState(false);
  return (
    <>
      <Button look="danger" icon={<Eraser />} onClick={() => setAsked(true)}>
        <Trans>Erase</Trans>
      </Button>
      {asked && <EraseDialog id={id} onClose={() => setAsked(false)} />}
    </>
  );
}

/** Asks why, and erases the payload for good. */
export function EraseDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useLingui();
  const [, erase] = useMutation(ERASE_EVENT);
  const form = useForm({
    initial: { reason: '' },
    save: ({ reason }) => erase({ input: { id, reason } }),
    saved: () => {
      notify(t`The payload is erased.`);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={<Trans>Erase the payload?</Trans>}
      action={<Trans>Erase for good</Trans>}
      danger
      ready={form.values.reason.trim() !== ''}
      onClose={onClose}
    >
      <p className="text-sm text-soft">
        <Trans>
          The payload, the answers to its deliveries and its keys are erased for good. Open deliveries are canceled.
          Receivers keep their copies.
        </Trans>
      </p>
      <ReasonField {...form.field('reason')} />
    </FormDialog>
  );
}
