import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { useClient, useMutation } from 'urql';
import { Button } from '../../../parts/button';
import { Dialog } from '../../../parts/dialog';
import { isConflict, issuesOf } from '../../../parts/issues';
import { Failure } from '../../../parts/page';
import { notify } from '../../../parts/toast';
import { ENDPOINT, UPDATE_ENDPOINT } from '../documents';
import { EndpointFields } from '../form/endpoint-fields';
import { isReady, valuesOf } from '../form/endpoint-values';
import type { EndpointDialogProps } from '../use-endpoint';
import { Conflict } from './conflict';

/** Changes the fields of an endpoint, as long as nobody else has changed it in the meantime. */
export function EditDialog({ endpoint, onClose }: EndpointDialogProps) {
  const client = useClient();
  // What the form began with, while the page behind it goes on following changes.
  const [base, setBase] = useState(endpoint);
  const [values, setValues] = useState(() => valuesOf(endpoint));
  const [theirs, setTheirs] = useState<typeof endpoint>();
  const [{ error, fetching }, update] = useMutation(UPDATE_ENDPOINT);
  const save = async (ifVersion: number) => {
    const result = await update({ input: { id: endpoint.id, ...valuesOf(values), ifVersion } });
    if (result.data) {
      notify(<Trans>The endpoint is changed.</Trans>);
      onClose();
    } else if (isConflict(result.error)) {
      const read = await client.query(ENDPOINT, { id: endpoint.id }).toPromise();
      setTheirs(read.data?.webhook ?? undefined);
    }
  };
  const goOnFrom = (now: typeof endpoint) => {
    setBase(now);
    setTheirs(undefined);
  };
  return (
    <Dialog
      open
      width="wide"
      onClose={onClose}
      title={<Trans>Edit the endpoint</Trans>}
      actions={
        <>
          <Button onClick={onClose}>
            <Trans>Leave it as it is</Trans>
          </Button>
          {theirs === undefined && (
            <Button look="primary" disabled={fetching || !isReady(values)} onClick={() => void save(base.version)}>
              <Trans>Save</Trans>
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {theirs !== undefined && (
          <Conflict
            base={base}
            theirs={theirs}
            mine={values}
            onTheirs={() => {
              goOnFrom(theirs);
              setValues(valuesOf(theirs));
            }}
            onMine={() => {
              goOnFrom(theirs);
              void save(theirs.version);
            }}
          />
        )}
        <EndpointFields values={values} onChange={setValues} error={error} />
        {error && issuesOf(error).length === 0 && !isConflict(error) && <Failure error={error} />}
      </div>
    </Dialog>
  );
}
