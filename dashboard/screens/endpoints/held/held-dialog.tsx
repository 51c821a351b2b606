import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { HELD_SHOWN_MAX } from '../../../../src/domain/deliveries/health-limits';
import type { HeldAction } from '../../../api/generated/graphql';
import { type ChoiceOption, Choices } from '../../../parts/choices';
import { type FieldProps, useForm } from '../../../parts/form';
import { FormDialog } from '../../../parts/form-dialog';
import { notify } from '../../../parts/toast';
import { countUpTo } from '../../../text/numbers';
import { CheckAnswer, CheckButton, useCheck } from '../testing/check';
import type { EndpointDialogProps } from '../use-endpoint';
import { useDecideHeld } from './use-decide-held';

/** Enables an endpoint, or decides about the held deliveries of an active one: release, keep or discard. */
export function HeldDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { t } = useLingui();
  const { active, heldCount } = endpoint;
  const many = countUpTo(heldCount, HELD_SHOWN_MAX);
  const { decide, mayDecide, done } = useDecideHeld(endpoint, { enables: true });
  const button: Record<HeldAction, string> = active
    ? { RELEASE: t`Release ${many}`, KEEP: t`Keep them`, DISCARD: t`Discard ${many}` }
    : { RELEASE: t`Enable and release`, KEEP: t`Enable and keep`, DISCARD: t`Enable and discard` };
  const form = useForm({
    initial: { held: 'RELEASE' as HeldAction },
    save: ({ held }) => decide(held),
    saved: (_, { held }) => {
      notify(active ? done[held] : t`The endpoint is enabled.`);
      onClose();
    },
  });
  const { held } = form.values;
  return (
    <FormDialog
      form={active && held === 'KEEP' ? { ...form, submit: onClose } : form}
      title={active ? <Trans>Decide about held deliveries</Trans> : <Trans>Enable the endpoint</Trans>}
      action={heldCount === 0 ? <Trans>Enable the endpoint</Trans> : button[held]}
      danger={held === 'DISCARD' && heldCount > 0}
      onClose={onClose}
    >
      <Checked endpoint={endpoint} />
      {heldCount === 0 ? (
        <p className="text-sm">
          <Trans>No delivery is held. New events are sent, and failures count from zero.</Trans>
        </p>
      ) : (
        <HeldOptions {...form.field('held')} count={heldCount} many={many} isOffered={mayDecide} />
      )}
    </FormDialog>
  );
}

/** Whether the endpoint answers again, before anything is sent to it. */
function Checked({ endpoint }: Pick<EndpointDialogProps, 'endpoint'>) {
  const check = useCheck(endpoint);
  return (
    check.isOffered && (
      <>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <CheckButton check={check} />
          <p className="min-w-0 flex-1 basis-52 text-xs text-soft">
            <Trans>A check sends one test now, and leaves the endpoint as it is.</Trans>
          </p>
        </div>
        <CheckAnswer check={check} />
      </>
    )
  );
}

/** @param many the count as text. */
function HeldOptions({
  value,
  onChange,
  count,
  many,
  isOffered,
}: FieldProps<HeldAction> & { count: number; many: string; isOffered: (held: HeldAction) => boolean }) {
  const { t } = useLingui();
  return (
    <Choices
      name="held"
      value={value}
      onChange={onChange}
      question={
        <Plural
          value={count}
          one="What should happen to the held delivery?"
          other={`What should happen to the ${many} held deliveries?`}
        />
      }
      options={(
        [
          {
            value: 'RELEASE',
            name: t`Release: send all ${many}`,
            hint: <Trans>Oldest first, starting now, at the pace the endpoint accepts.</Trans>,
          },
          {
            value: 'KEEP',
            name: t`Keep all ${many} held`,
            hint: (
              <Trans>New events are sent. Send a test first, and release the held deliveries once it arrives.</Trans>
            ),
          },
          {
            value: 'DISCARD',
            name: t`Discard: cancel all ${many}`,
            hint: <Trans>They are not sent unless you resend them. New events are sent.</Trans>,
          },
        ] satisfies ChoiceOption<HeldAction>[]
      ).filter(({ value: held }) => isOffered(held))}
    />
  );
}
