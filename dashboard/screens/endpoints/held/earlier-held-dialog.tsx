import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { HELD_SHOWN_MAX } from '../../../../src/domain/deliveries/health-limits';
import type { HeldAction } from '../../../api/generated/graphql';
import { serviceAheadMs } from '../../../api/service-time';
import { type ChoiceOption, Choices } from '../../../parts/choices';
import { useForm } from '../../../parts/form';
import { FormDialog } from '../../../parts/form-dialog';
import { notify } from '../../../parts/toast';
import { countUpTo } from '../../../text/numbers';
import type { EndpointDialogProps } from '../use-endpoint';
import { useDecideHeld } from './use-decide-held';

/** After a change of what an endpoint gets: deliveries that were held before do not follow it. */
export function EarlierHeldDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { t } = useLingui();
  const { active, heldCount } = endpoint;
  const [until] = useState(() => new Date(Date.now() + serviceAheadMs).toISOString());
  const { decide, mayDecide, done } = useDecideHeld(endpoint, { enables: false, until });
  const many = countUpTo(heldCount, HELD_SHOWN_MAX);
  const options = useOptions(many, active).filter(({ value }) => mayDecide(value));
  const form = useForm({
    initial: { held: options[0]!.value },
    save: ({ held }) => decide(held),
    saved: (_, { held }) => {
      notify(done[held]);
      onClose();
    },
  });
  const { held } = form.values;
  return (
    <FormDialog
      form={held === 'KEEP' ? { ...form, submit: onClose } : form}
      title={<Trans>Held deliveries</Trans>}
      action={{ RELEASE: t`Send ${many}`, KEEP: t`Keep them`, DISCARD: t`Discard ${many}` }[held]}
      danger={held === 'DISCARD'}
      onClose={onClose}
    >
      <p className="text-sm">
        <Plural
          value={heldCount}
          one="A held delivery was made before this change. It is sent as it was made then."
          other={`${many} held deliveries were made before this change. They are sent as they were made then.`}
        />
      </p>
      <Choices
        {...form.field('held')}
        name="held"
        question={<Trans>What should happen to them?</Trans>}
        options={options}
      />
    </FormDialog>
  );
}

/** An inactive endpoint sends nothing now. */
function useOptions(many: string, active: boolean): ChoiceOption<HeldAction>[] {
  const { t } = useLingui();
  const discard: ChoiceOption<HeldAction> = {
    value: 'DISCARD',
    name: t`Discard: cancel all ${many}`,
    hint: <Trans>They are not sent unless you resend them.</Trans>,
  };
  return active
    ? [
        {
          value: 'RELEASE',
          name: t`Send all ${many}`,
          hint: <Trans>Oldest first, starting now, at the pace the endpoint accepts.</Trans>,
        },
        {
          value: 'KEEP',
          name: t`Keep all ${many} held`,
          hint: <Trans>You can release or discard them later.</Trans>,
        },
        discard,
      ]
    : [
        {
          value: 'KEEP',
          name: t`Send all ${many} later`,
          hint: <Trans>They are sent once the endpoint is enabled.</Trans>,
        },
        discard,
      ];
}
