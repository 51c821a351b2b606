import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from 'urql';
import type { EventRowFragment, FanOutReason } from '../../api/generated/graphql';
import { Button, buttonLook } from '../../parts/button';
import { messageOf } from '../../parts/page';
import { Link } from '../../parts/place';
import { notify } from '../../parts/toast';
import { useAllowed, useWritable } from '../../parts/viewer';
import { REPLAY } from '../operations/documents';
import { fixFor, subscribes } from './fan-out';

interface Target {
  id: string;
  databaseId: number;
  active: boolean;
  eventTypes: string[];
}

interface FixProps {
  event: EventRowFragment;
  webhook: Target | null;
  reason: FanOutReason | null;
  onFixed: () => void;
}

/** The buttons that get the event to an endpoint that missed it, for those who may press them. */
export function FixAction(props: FixProps) {
  const mayFilter = useAllowed('webhooks:options');
  const isWritable = useWritable();
  const { webhook, reason } = props;
  return (
    <>
      {reason === 'FILTERED' && webhook && mayFilter && isWritable('content') && (
        <Link to={`/endpoints/${webhook.databaseId}`} search={{ do: 'content' }} className={buttonLook('quiet')}>
          <Trans>Edit filter</Trans>
        </Link>
      )}
      <UsualFix {...props} />
    </>
  );
}

function UsualFix({ event, webhook, reason, onFixed }: FixProps) {
  const mayEdit = useAllowed('webhooks:edit');
  const maySend = useAllowed('deliveries:bulk');
  const mayAudit = useAllowed('keys:admin', 'platform:read');
  if (webhook === null || reason === null) {
    return null;
  }
  switch (fixFor(reason, webhook, event.eventType)) {
    case 'SUBSCRIBE':
      return (
        mayEdit && (
          <Link to={`/endpoints/${webhook.databaseId}`} search={{ do: 'edit' }} className={buttonLook('quiet')}>
            <Trans>Subscribe</Trans>
          </Link>
        )
      );
    case 'ENABLE':
      return (
        mayEdit && (
          <Link to={`/endpoints/${webhook.databaseId}`} search={{ do: 'enable' }} className={buttonLook('quiet')}>
            <Trans>Enable it first</Trans>
          </Link>
        )
      );
    case 'LOOK_INTO_LOG':
      return (
        mayAudit && (
          <Link to="/audit" search={{ target: webhook.id }} className={buttonLook('quiet')}>
            <Trans>See its changes</Trans>
          </Link>
        )
      );
    case 'SEND':
      return maySend && <SendNow event={event} webhook={webhook} onSent={onFixed} />;
    case undefined:
      return null;
  }
}

function SendNow({ event, webhook, onSent }: { event: EventRowFragment; webhook: Target; onSent: () => void }) {
  const { t } = useLingui();
  const [{ fetching, data, error }, replay] = useMutation(REPLAY);
  const send = async () => {
    const result = await replay({
      input: {
        webhookId: webhook.id,
        filter: { eventId: event.id },
        includeUnsubscribed: !subscribes(webhook.eventTypes, event.eventType),
        includeFiltered: true,
      },
    });
    if (result.data) {
      notify(t`The event is on its way to this endpoint.`);
      onSent();
    }
  };
  return (
    <span className="inline-flex items-center gap-2">
      {error && <span className="text-xs text-bad">{messageOf(error)}</span>}
      <Button onClick={() => void send()} disabled={fetching || data !== undefined}>
        {data ? <Trans>On its way</Trans> : <Trans>Send it now</Trans>}
      </Button>
    </span>
  );
}
