import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { type Column, List } from '../../parts/list';
import { Card } from '../../parts/page';
import { Link, useGo } from '../../parts/place';
import { Untrusted } from '../../parts/untrusted';
import { count } from '../../text/numbers';
import { type TenantUse, useTypeUsage } from './type-usage';

/** The tenants whose endpoints got events of a type lately, each with the way to its catalogue. */
export function UsageCard({ name }: { name: string }) {
  const { t } = useLingui();
  const go = useGo();
  const usage = useTypeUsage(name);
  const columns = useMemo<Column<TenantUse>[]>(
    () => [
      {
        name: t`Tenant`,
        wide: true,
        render: ({ databaseId, name: tenant }) => (
          <Link
            to={`/tenants/${databaseId}/catalogue/${name}`}
            className="font-medium text-ink no-underline hover:underline"
          >
            <Untrusted text={tenant} />
          </Link>
        ),
      },
      { name: t`Attempts`, figures: true, render: ({ attempts }) => count(attempts) },
    ],
    [t, name],
  );
  return (
    usage && (
      <Card flush title={<Trans>Tenants, last 7 days</Trans>}>
        {usage.tenants.length === 0 ? (
          <p className="px-3.5 py-6 text-center text-sm text-soft">
            <Trans>No tenant received it.</Trans>
          </p>
        ) : (
          <List
            label={t`Tenants, last 7 days`}
            columns={columns}
            rows={usage.tenants}
            keyOf={({ databaseId }) => String(databaseId)}
            onOpen={({ databaseId }) => go(`/tenants/${databaseId}/catalogue/${name}`)}
          />
        )}
      </Card>
    )
  );
}
