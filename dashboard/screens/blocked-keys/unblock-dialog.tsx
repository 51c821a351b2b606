import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import type { UnblockKeyAction } from '../../api/generated/graphql';
import { type ChoiceOption, Choices } from '../../parts/choices';
import { useForm } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import { notify } from '../../parts/toast';
import { Untrusted } from '../../parts/untrusted';
import { UNBLOCK_KEY } from './documents';

const OPTIONS: readonly ChoiceOption<UnblockKeyAction>[] = [
  {
    value: 'RETRY',
    name: <Trans>Send it again</Trans>,
    hint: <Trans>Retry it first, then continue in order.</Trans>,
  },
  {
    value: 'SKIP',
    name: <Trans>Skip it</Trans>,
    hint: <Trans>The next one is sent. The receiver misses one event of the key.</Trans>,
  },
  {
    value: 'CANCEL_ALL',
    name: <Trans>Cancel everything waiting for this key</Trans>,
    hint: <Trans>The waiting ones are canceled too. The key begins again with the next event.</Trans>,
  },
];

/** Asks how a blocked key goes on. */
export function UnblockDialog({
  webhookId,
  blockedKey,
  action = 'RETRY',
  why,
  onClose,
}: {
  webhookId: string;
  /** Empty: all deliveries of the endpoint. */
  blockedKey: string;
  /** The one that is chosen at first. */
  action?: UnblockKeyAction;
  /** Why the key waits. */
  why?: ReactNode;
  onClose: () => void;
}) {
  const [, unblock] = useMutation(UNBLOCK_KEY);
  const form = useForm({
    initial: { action },
    save: (chosen) => unblock({ input: { webhookId, key: blockedKey, ...chosen } }),
    saved: () => {
      notify(<Trans>The key is unblocked.</Trans>);
      onClose();
    },
  });
  const { value, onChange } = form.field('action');
  return (
    <FormDialog
      form={form}
      title={<Trans>Unblock the key</Trans>}
      action={<Trans>Unblock</Trans>}
      danger={value === 'CANCEL_ALL'}
      onClose={onClose}
    >
      <p className="text-sm">
        <code className="font-mono text-xs [overflow-wrap:anywhere]">
          {blockedKey === '' ? <Trans>all deliveries</Trans> : <Untrusted text={blockedKey} />}
        </code>
        {why && <span className="block text-soft">{why}</span>}
      </p>
      <Choices
        question={<Trans>What happens to the failed delivery?</Trans>}
        name="action"
        value={value}
        onChange={onChange}
        options={OPTIONS}
      />
    </FormDialog>
  );
}
