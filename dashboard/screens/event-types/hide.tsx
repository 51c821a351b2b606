import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from 'urql';
import { Button } from '../../parts/button';
import { messageOf } from '../../parts/page';
import { notify } from '../../parts/toast';
import { HIDE_EVENT_TYPE } from './documents';

/** Hides an event type from tenants that do not use it, or shows a hidden one again. Both can be undone. */
export function Hide({ name, hidden }: { name: string; hidden: boolean }) {
  const { t } = useLingui();
  const [{ fetching }, change] = useMutation(HIDE_EVENT_TYPE);
  const press = async () => {
    const { data, error } = await change({ name, hidden: !hidden });
    if (error) {
      notify(messageOf(error));
    } else if (data) {
      notify(hidden ? t`All tenants see the event type.` : t`The event type is hidden.`);
    }
  };
  return (
    <Button disabled={fetching} onClick={() => void press()}>
      {hidden ? <Trans>Show</Trans> : <Trans>Hide</Trans>}
    </Button>
  );
}
