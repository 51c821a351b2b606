import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import type { AuditAction, AuditTarget } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { type Column, List, More, usePage } from '../../parts/list';
import { Card, Empty, Failure, PageHead } from '../../parts/page';
import { useAddress } from '../../parts/place';
import { RangePicker, useRange } from '../../parts/range';
import { Time } from '../../parts/time';
import { Actor } from './actor';
import { AuditFilters } from './audit-filters';
import { changes } from './changes';
import { AUDIT_LOG, type AuditRow, KEY_NAMES } from './documents';
import { EntryDialog } from './entry-dialog';
import { Target } from './target';
import { ACTION_WORDS } from './words';

/** All changes with their actors, the latest first. */
export default function AuditLog() {
  const { t } = useLingui();
  const [address, setAddress] = useAddress();
  const range = useRange('30d');
  const filter = {
    since: range.since,
    ...(range.until === undefined ? {} : { until: range.until }),
    ...(address['action'] === undefined ? {} : { action: address['action'] as AuditAction }),
    ...(address['kind'] === undefined ? {} : { targetType: address['kind'] as AuditTarget }),
    ...(address['target'] === undefined ? {} : { targetId: address['target'] }),
    ...(address['key'] === undefined ? {} : { apiKeyId: address['key'] }),
  };
  const [after, setAfter] = usePage(filter);
  const [{ data, error, fetching }, read] = useQuery({ query: AUDIT_LOG, variables: { filter, after } });
  const [{ data: named }] = useQuery({ query: KEY_NAMES });
  const names = useMemo(() => new Map(named?.apiKeys?.edges.map(({ node }) => [node.id, node.name])), [named]);
  const columns = useColumns(names);
  const rows = data?.auditLog?.edges.map(({ node }) => node) ?? [];
  const open = rows.find(({ databaseId }) => String(databaseId) === address['entry']);
  return (
    <>
      <PageHead title={t`Audit log`} actions={<RangePicker usual="30d" />} />
      <AuditFilters names={names} />
      {error && <Failure error={error} retry={read} />}
      {data?.auditLog && (
        <Card flush>
          <List
            label={t`Audit log`}
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            onOpen={({ databaseId }) => setAddress({ entry: String(databaseId) })}
            empty={
              <Empty
                title={<Trans>Nothing was changed.</Trans>}
                action={
                  <Button
                    onClick={() =>
                      setAddress({ action: undefined, kind: undefined, target: undefined, key: undefined })
                    }
                  >
                    <Trans>Show all changes</Trans>
                  </Button>
                }
              >
                <Trans>Changes of this kind in this range appear here.</Trans>
              </Empty>
            }
            more={<More shown={rows.length} page={data.auditLog.pageInfo} busy={fetching} onMore={setAfter} />}
          />
        </Card>
      )}
      <EntryDialog entry={open} names={names} onClose={() => setAddress({ entry: undefined })} />
    </>
  );
}

function useColumns(names: ReadonlyMap<string, string>): Column<AuditRow>[] {
  const { t, i18n } = useLingui();
  const [, setAddress] = useAddress();
  return useMemo(
    () => [
      {
        name: t`What`,
        render: (entry) => (
          <>
            <button
              type="button"
              onClick={() => setAddress({ entry: String(entry.databaseId) })}
              className="block max-w-60 truncate rounded-xs font-medium hover:underline sm:max-w-none"
            >
              {i18n._(ACTION_WORDS[entry.action] ?? entry.action)}
            </button>
            <span className="block max-w-60 truncate text-xs text-soft sm:hidden">
              <Target {...entry} />
            </span>
          </>
        ),
      },
      { name: t`To`, from: 'sm', render: (entry) => <Target {...entry} /> },
      {
        name: t`Changed`,
        wide: true,
        from: 'md',
        render: ({ before, after }) => <Changed before={before} after={after} />,
      },
      { name: t`By`, from: 'sm', render: (entry) => <Actor {...entry} names={names} /> },
      { name: t`When`, figures: true, render: ({ createdAt }) => <Time value={createdAt} /> },
    ],
    [t, i18n, names, setAddress],
  );
}

/** The names of the fields, as much as the line has room for: what they were is in the entry itself. */
function Changed({ before, after }: Pick<AuditRow, 'before' | 'after'>) {
  const fields = changes(before, after).map(({ field }) => field);
  return <span className="font-mono text-xs text-soft">{fields.join(', ')}</span>;
}
