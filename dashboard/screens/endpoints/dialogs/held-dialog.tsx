import { Trans, useLingui } from '@lingui/react/macro';
import { type ReactNode, useState } from 'react';
import { useMutation } from 'urql';
import type { HeldAction } from '../../../api/generated/graphql';
import { Button } from '../../../parts/button';
import { Dialog } from '../../../parts/dialog';
import { Failure } from '../../../parts/page';
import { notify } from '../../../parts/toast';
import { countUpTo } from '../../../text/numbers';
import { UPDATE_ENDPOINT } from '../documents';
import type { EndpointDialogProps } from '../use-endpoint';

/** From how many on `heldCount` is not counted any further. */
const HELD_MAX = 1_000;

/** Enables an endpoint, or decides about the held deliveries of an active one: release, keep or discard. */
export function HeldDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { t } = useLingui();
  const [held, setHeld] = useState<HeldAction>('RELEASE');
  const [{ error, fetching }, update] = useMutation(UPDATE_ENDPOINT);
  const { active, heldCount } = endpoint;
  const many = countUpTo(heldCount, HELD_MAX);
  const submit = async () => {
    if (active && held === 'KEEP') {
      onClose();
      return;
    }
    const { data } = await update({ input: { id: endpoint.id, active: true, held } });
    if (data) {
      notify(active ? done[held] : t`The endpoint is enabled.`);
      onClose();
    }
  };
  const done: Record<HeldAction, string> = {
    RELEASE: t`${many} held deliveries are being sent.`,
    KEEP: '',
    DISCARD: t`${many} held deliveries are being canceled.`,
  };
  const button: Record<HeldAction, string> = active
    ? { RELEASE: t`Release ${many}`, KEEP: t`Keep them`, DISCARD: t`Discard ${many}` }
    : { RELEASE: t`Enable and release`, KEEP: t`Enable and keep`, DISCARD: t`Enable and discard` };
  return (
    <Dialog
      open
      onClose={onClose}
      title={active ? <Trans>Held deliveries</Trans> : <Trans>Enable the endpoint</Trans>}
      actions={
        <>
          <Button onClick={onClose}>
            <Trans>Close</Trans>
          </Button>
          <Button
            look={held === 'DISCARD' && heldCount > 0 ? 'danger' : 'primary'}
            disabled={fetching}
            onClick={() => void submit()}
          >
            {heldCount === 0 ? <Trans>Enable the endpoint</Trans> : button[held]}
          </Button>
        </>
      }
    >
      {heldCount === 0 ? (
        <p className="text-sm">
          <Trans>No delivery is held. New events are sent, and failures count from zero.</Trans>
        </p>
      ) : (
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-2 text-sm">
            {heldCount === 1 ? (
              <Trans>What should happen to the held delivery?</Trans>
            ) : (
              <Trans>What should happen to the {many} held deliveries?</Trans>
            )}
          </legend>
          <Option value="RELEASE" chosen={held} onChoose={setHeld} name={t`Release: send all ${many}`}>
            <Trans>They are sent at once, oldest first, at the endpoint's pace.</Trans>
          </Option>
          <Option value="KEEP" chosen={held} onChoose={setHeld} name={t`Keep all ${many} held`}>
            <Trans>New events are sent. Send a test, and release the held deliveries once it arrives.</Trans>
          </Option>
          <Option value="DISCARD" chosen={held} onChoose={setHeld} name={t`Discard: cancel all ${many}`}>
            <Trans>They are not sent unless somebody sends them again. New events are sent.</Trans>
          </Option>
        </fieldset>
      )}
      {error && (
        <div className="mt-3">
          <Failure error={error} />
        </div>
      )}
    </Dialog>
  );
}

function Option({
  value,
  chosen,
  onChoose,
  name,
  children,
}: {
  value: HeldAction;
  chosen: HeldAction;
  onChoose: (value: HeldAction) => void;
  name: string;
  children: ReactNode;
}) {
  return (
    <label className="flex items-start gap-2.5 rounded-md border border-line-strong px-3 py-2 text-sm has-checked:border-accent has-checked:bg-accent-soft">
      <input
        type="radio"
        name="held"
        checked={value === chosen}
        onChange={() => onChoose(value)}
        className="mt-0.5 size-3.5 shrink-0 accent-accent"
      />
      <span>
        <span className="block font-medium">{name}</span>
        <span className="block text-xs text-soft">{children}</span>
      </span>
    </label>
  );
}
