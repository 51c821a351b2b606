import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import type { CombinedError } from 'urql';
import type { EventTypeWholeFragment } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { Confirm } from '../../parts/dialog';
import { messageOf } from '../../parts/page';
import { useAddress } from '../../parts/place';
import { notify } from '../../parts/toast';
import { useSchemaChange } from './schema-change';
import { SchemaImpact } from './schema-impact';

/**
 * Gives an event type the schema of an earlier version again, as a new version: of the one that is shown, otherwise of
 * the one before the current. It asks first only where that breaks something.
 */
export function GoBack({ name, versions }: { name: string; versions: EventTypeWholeFragment['versions'] }) {
  const { t } = useLingui();
  const [address, setAddress] = useAddress();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<CombinedError>();
  const change = useSchemaChange(name);
  const [, previous, ...older] = versions;
  const earlier = older.find(({ version }) => String(version) === address['version']) ?? previous;
  if (earlier === undefined) {
    return null;
  }
  const { schema, version: wanted } = earlier;
  const impact = change.impactOf(schema);
  const press = async () => {
    setBusy(true);
    const { data, error } = await change.save({ schema });
    setBusy(false);
    setError(error);
    if (error && impact === undefined) {
      notify(messageOf(error));
    }
    if (data) {
      const { version } = data.updateEventType.eventType;
      notify(t`Version ${version} is in use.`, t`Its schema is that of version ${wanted}.`);
      setAddress({ version: undefined });
      change.forget();
    }
  };
  return (
    <>
      <Button disabled={busy} onClick={() => void press()}>
        <Trans>Go back to version {wanted}</Trans>
      </Button>
      <Confirm
        open={impact !== undefined}
        onClose={change.forget}
        title={t`Use version ${wanted} again?`}
        action={t`Go back all the same`}
        busy={busy}
        error={error}
        onConfirm={() => void press()}
      >
        {impact && <SchemaImpact impact={impact} />}
      </Confirm>
    </>
  );
}
