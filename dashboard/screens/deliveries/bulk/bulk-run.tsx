import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { type CombinedError, useClient, useQuery } from 'urql';
import { Button } from '../../../parts/button';
import { Dialog } from '../../../parts/dialog';
import { Fact, Facts, Failure } from '../../../parts/page';
import { Link } from '../../../parts/place';
import { Untrusted } from '../../../parts/untrusted';
import { count } from '../../../text/numbers';
import { OperationProgress } from '../../operations/operation-progress';
import { CANCEL_DELIVERIES, FILTER_CHOICES, RECOVER } from '../documents';
import { FILTER_NAMES, useChips } from '../filters/filter-names';
import type { DeliveryFilterInput, Filters, RecoverInput } from '../filters/filters';

type Counted = {
  total: number;
  totalCapped: boolean;
  bulkOperation?: { id: string; databaseId: number } | null;
};

/** Counts what an operation would do, asks, starts it, and shows how far it has come. */
export function BulkRun({
  action,
  input,
  filters,
  title,
  onClose,
}: {
  action: 'resend' | 'cancel';
  input: DeliveryFilterInput | RecoverInput;
  filters: Filters;
  title: ReactNode;
  onClose: () => void;
}) {
  const { t } = useLingui();
  const client = useClient();
  // The list behind goes on, and `now` with it: what was counted is what is done.
  const [wanted] = useState(input);
  const [counted, setCounted] = useState<Counted>();
  const [started, setStarted] = useState<Counted>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<CombinedError>();
  const ask = useCallback(
    async (dryRun: boolean) => {
      setBusy(true);
      setError(undefined);
      const { error, data } = await send(client, action, wanted, dryRun);
      setBusy(false);
      setError(error);
      if (data !== undefined) {
        (dryRun ? setCounted : setStarted)(data);
      }
    },
    [client, action, wanted],
  );
  useEffect(() => void ask(true), [ask]);
  const operation = started?.bulkOperation;
  const total = counted?.total ?? 0;
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      actions={
        operation ? (
          <Button look="primary" onClick={onClose}>
            <Trans>Close</Trans>
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>
              <Trans>Leave it as it is</Trans>
            </Button>
            <Button
              look={action === 'resend' ? 'primary' : 'danger'}
              disabled={busy || total === 0}
              onClick={() => void ask(false)}
            >
              {total === 0
                ? action === 'resend'
                  ? t`Send again`
                  : t`Cancel`
                : action === 'resend'
                  ? plural(total, { one: 'Send # again', other: 'Send # again' })
                  : plural(total, { one: 'Cancel # delivery', other: 'Cancel # deliveries' })}
            </Button>
          </>
        )
      }
    >
      <div className="flex min-h-16 flex-col gap-2 text-sm">
        {error !== undefined && <Failure error={error} />}
        {operation ? (
          <>
            <OperationProgress id={operation.id} />
            <p>
              <Link to={`/operations/${operation.databaseId}`} className="text-accent">
                <Trans>Look at the operation</Trans>
              </Link>{' '}
              <span className="text-soft">
                <Trans>It goes on when you close this.</Trans>
              </span>
            </p>
          </>
        ) : counted === undefined ? (
          error === undefined && (
            <p role="status" className="text-soft">
              <Trans>Counting …</Trans>
            </p>
          )
        ) : (
          <Consequence action={action} counted={counted} wanted={wanted} filters={filters} />
        )}
      </div>
    </Dialog>
  );
}

function Consequence({
  action,
  counted,
  wanted,
  filters,
}: {
  action: string;
  counted: Counted;
  wanted: object;
  filters: Filters;
}) {
  const { i18n } = useLingui();
  const [{ data: choices }] = useQuery({ query: FILTER_CHOICES, requestPolicy: 'cache-first' });
  const chips = useChips(filters, choices);
  const { total, totalCapped } = counted;
  if (total === 0) {
    return (
      <p>
        <Trans>Nothing that matches can be changed so.</Trans>
      </p>
    );
  }
  const isFailed = 'filter' in wanted && JSON.stringify(wanted).includes('"HOLD_EXPIRED"');
  return (
    <>
      <p>
        {action === 'resend'
          ? plural(total, {
              one: '# delivery is sent again, with its number, and gets all its retries again.',
              other: '# deliveries are sent again, with their numbers, and get all their retries again.',
            })
          : plural(total, {
              one: '# delivery will not be sent. A request that is under way ends.',
              other: '# deliveries will not be sent. Requests that are under way end.',
            })}
      </p>
      <Facts>
        {chips.map(({ filter, value }) => (
          <Fact key={filter} name={i18n._(FILTER_NAMES[filter])}>
            <Untrusted text={value} />
          </Fact>
        ))}
      </Facts>
      {isFailed && (
        <p className="text-soft">
          <Trans>
            These are the deliveries that have failed, or were held for too long. Filter by another state to send those.
          </Trans>
        </p>
      )}
      {totalCapped && (
        <p className="text-soft">
          <Trans>There may be more than {count(total)}: counting ended there. The operation goes through all.</Trans>
        </p>
      )}
    </>
  );
}

async function send(
  client: ReturnType<typeof useClient>,
  action: 'resend' | 'cancel',
  input: DeliveryFilterInput | RecoverInput,
  dryRun: boolean,
) {
  if (action === 'resend') {
    const { data, error } = await client
      .mutation(RECOVER, { input: { ...(input as RecoverInput), dryRun } })
      .toPromise();
    return { data: data?.recoverWebhook as Counted | undefined, error };
  }
  const { data, error } = await client
    .mutation(CANCEL_DELIVERIES, { input: { filter: input as DeliveryFilterInput, dryRun } })
    .toPromise();
  return { data: data?.cancelDeliveries as Counted | undefined, error };
}
