import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { useClient, useMutation, useQuery } from 'urql';
import { Button } from '../../../parts/button';
import { Dialog } from '../../../parts/dialog';
import { isConflict, issueAt, issuesOf } from '../../../parts/issues';
import { Failure } from '../../../parts/page';
import { notify } from '../../../parts/toast';
import { Untrusted } from '../../../parts/untrusted';
import { ENDPOINT, EVENT_TYPES, UPDATE_ENDPOINT } from '../documents';
import { EventTypePicker } from '../form/event-type-picker';
import { urlProblem } from '../form/url-check';
import { UrlField } from '../form/url-field';
import type { EndpointDialogProps } from '../use-endpoint';
import { Conflict } from './conflict';

/** Changes the url and event types of an endpoint, as long as nobody else has changed it in the meantime. */
export function EditDialog({ endpoint, onClose }: EndpointDialogProps) {
  const client = useClient();
  // What the form began with, while the page behind it goes on following changes.
  const [base, setBase] = useState(endpoint);
  const [url, setUrl] = useState(endpoint.url);
  const [eventTypes, setEventTypes] = useState<string[]>([...endpoint.eventTypes]);
  const [theirs, setTheirs] = useState<typeof endpoint>();
  const [types] = useQuery({ query: EVENT_TYPES });
  const [{ error, fetching }, update] = useMutation(UPDATE_ENDPOINT);
  const save = async (ifVersion: number) => {
    const result = await update({ input: { id: endpoint.id, url: url.trim(), eventTypes, ifVersion } });
    if (result.data) {
      notify(<Trans>The endpoint is changed.</Trans>);
      onClose();
    } else if (isConflict(result.error)) {
      const read = await client.query(ENDPOINT, { id: endpoint.id }, { requestPolicy: 'network-only' }).toPromise();
      setTheirs(read.data?.webhook ?? undefined);
    }
  };
  const takeTheirs = (now: typeof endpoint) => {
    setBase(now);
    setUrl(now.url);
    setEventTypes([...now.eventTypes]);
    setTheirs(undefined);
  };
  const wrongTypes = issueAt(error, 'input', 'eventTypes');
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
            <Button
              look="primary"
              disabled={fetching || eventTypes.length === 0 || urlProblem(url) === 'typing'}
              onClick={() => void save(base.version)}
            >
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
            mine={{ url, eventTypes }}
            onTheirs={() => takeTheirs(theirs)}
            onMine={() => {
              setBase(theirs);
              setTheirs(undefined);
              void save(theirs.version);
            }}
          />
        )}
        <UrlField value={url} onChange={setUrl} refusal={issueAt(error, 'input', 'url')} />
        {types.data?.eventTypes && (
          <EventTypePicker types={types.data.eventTypes} value={eventTypes} onChange={setEventTypes} />
        )}
        {wrongTypes !== undefined && (
          <p className="text-xs text-bad">
            <Untrusted text={wrongTypes} />
          </p>
        )}
        {error && issuesOf(error).length === 0 && !isConflict(error) && <Failure error={error} />}
      </div>
    </Dialog>
  );
}
