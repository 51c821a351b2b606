import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { Button } from '../../parts/button';
import { Confirm } from '../../parts/dialog';
import { useConfirmed } from '../../parts/use-confirmed';
import { count } from '../../text/numbers';
import { DEPRECATE_EVENT_TYPE } from './documents';
import { type TenantUse, useTypeUsage } from './type-usage';

/** Deprecates an event type, after it has said what that does; or restores a deprecated one. */
export function Deprecate({ name, deprecated }: { name: string; deprecated: boolean }) {
  const { t } = useLingui();
  const [asked, setAsked] = useState(false);
  const usage = useTypeUsage(name);
  const said = deprecated ? t`Events of this type are accepted again.` : t`The event type is deprecated.`;
  const [state, change] = useConfirmed(DEPRECATE_EVENT_TYPE, said, () => setAsked(false));
  return (
    <>
      <Button onClick={() => setAsked(true)}>{deprecated ? <Trans>Restore</Trans> : <Trans>Deprecate</Trans>}</Button>
      <Confirm
        {...state}
        open={asked}
        onClose={() => setAsked(false)}
        title={deprecated ? t`Restore ${name}?` : t`Deprecate ${name}?`}
        action={deprecated ? t`Restore the type` : t`Deprecate the type`}
        onConfirm={() => change({ name, deprecated: !deprecated })}
      >
        {deprecated ? (
          <Trans>Events of this type are accepted again within 5 seconds.</Trans>
        ) : (
          <ul className="flex list-disc flex-col gap-1 ps-4">
            {usage && (
              <li className="font-medium text-ink">
                <Affected {...usage} />
              </li>
            )}
            <li>
              <Trans>Within 5 seconds the service refuses new events of this type, for all tenants.</Trans>
            </li>
            <li>
              <Trans>Earlier events are still delivered, and can be sent again.</Trans>
            </li>
            <li>
              <Trans>Endpoints stay subscribed to it. You can restore it at any time.</Trans>
            </li>
          </ul>
        )}
      </Confirm>
    </>
  );
}

/** How much the type was delivered of late. */
function Affected({ attempts, tenants }: { attempts: number; tenants: readonly TenantUse[] }) {
  const made = count(attempts);
  return attempts === 0 ? (
    <Trans>No event of this type was delivered in the last 7 days.</Trans>
  ) : (
    <Plural
      value={tenants.length}
      one={`${made} delivery attempts in the last 7 days, for # tenant.`}
      other={`${made} delivery attempts in the last 7 days, for # tenants.`}
    />
  );
}
