import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useMemo } from 'react';
import { useQuery } from 'urql';
import type { AuditAction, AuditTarget } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { type Column, List, More, usePage } from '../../parts/list';
import { Card, Empty, Failure, PageHead } from '../../parts/page';
import { type Search, useAddress } from '../../parts/place';
import { type Range, RangePicker, useRange } from '../../parts/range';
import { subjectAndReason } from '../../parts/reason-column';
import { TableSkeleton } from '../../parts/skeleton';
import { dayOf, Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { Actor } from './actor';
import { AuditFilters } from './audit-filters';
import { type Change, changes } from './changes';
import { AUDIT_LOG, type AuditRow } from './documents';
import { EntryDialog, FieldName } from './entry-dialog';
import { valueWords } from './field-values';
import { dayAround, groupVisits, type Line } from './group-entries';
import { Target } from './target';
import { useNames } from './use-names';
import { ACTION_WORDS } from './words';

/** Lines that are shown at least, if there are as many, and the entries that are read for them at most. */
const LINES_MIN = 25;
const ROWS_MAX = 400;
const VISIT = 'PORTAL_SESSION_CREATED' satisfies AuditAction;

/** All changes with their actors, the latest first. */
export default function AuditLog() {
  const { t } = useLingui();
  const [address, setAddress] = useAddress();
  const range = useRange('30d');
  const filter = filterOf(address, range);
  const [after, setAfter] = usePage(filter);
  const [{ data, error, fetching }, read] = useQuery({ query: AUDIT_LOG, variables: { filter, after } });
  const names = useNames();
  const columns = useColumns(names);
  const rows = data?.auditLog?.edges.map(({ node }) => node) ?? [];
  const lines = address['action'] === VISIT ? rows.map((entry) => ({ entry, times: 1 })) : groupVisits(rows, dayOf);
  const next = data?.auditLog?.pageInfo;
  const isShort = next?.hasNextPage === true && lines.length < LINES_MIN && rows.length < ROWS_MAX;
  useEffect(() => {
    if (isShort && !fetching && next.endCursor != null) {
      setAfter(next.endCursor);
    }
  }, [isShort, fetching, next, setAfter]);
  const open = rows.find(({ databaseId }) => String(databaseId) === address['entry']);
  return (
    <>
      <PageHead title={t`Audit log`} actions={<RangePicker usual="30d" />} />
      <AuditFilters names={names.keys} />
      {error && <Failure error={error} retry={read} />}
      {(data === undefined || !names.isRead) && error === undefined && <TableSkeleton />}
      {data?.auditLog && names.isRead && (
        <Card flush>
          <List
            label={t`Audit log`}
            columns={columns}
            rows={lines}
            keyOf={({ entry }) => entry.id}
            onOpen={(line) => setAddress(placeOf(line))}
            empty={<Nothing />}
            more={<More shown={lines.length} page={data.auditLog.pageInfo} busy={fetching} onMore={setAfter} />}
          />
        </Card>
      )}
      <EntryDialog entry={open} names={names.all} onClose={() => setAddress({ entry: undefined })} />
    </>
  );
}

function filterOf({ action, kind, target, key }: Search, { since, until }: Range) {
  return {
    since,
    ...(until === undefined ? {} : { until }),
    ...(action === undefined ? {} : { action: action as AuditAction }),
    ...(kind === undefined ? {} : { targetType: kind as AuditTarget }),
    ...(target === undefined ? {} : { targetId: target }),
    ...(key === undefined ? {} : { apiKeyId: key }),
  };
}

function Nothing() {
  const [, setAddress] = useAddress();
  const showAll = () => setAddress({ action: undefined, kind: undefined, target: undefined, key: undefined });
  return (
    <Empty
      title={<Trans>Nothing was changed.</Trans>}
      action={
        <Button onClick={showAll}>
          <Trans>Show all changes</Trans>
        </Button>
      }
    >
      <Trans>Changes of this kind in this range appear here.</Trans>
    </Empty>
  );
}

/** An entry opens beside the list; what is one line for several opens as a list of them. */
function placeOf({ entry, times }: Line<AuditRow>): Search {
  if (times === 1) {
    return { entry: String(entry.databaseId) };
  }
  const [since, until] = dayAround(entry.createdAt);
  return { action: VISIT, key: entry.apiKeyId ?? undefined, range: undefined, since, until };
}

function useColumns({ keys, all }: ReturnType<typeof useNames>): Column<Line<AuditRow>>[] {
  const { t, i18n } = useLingui();
  const [, setAddress] = useAddress();
  return useMemo(() => {
    const targetOf = ({ entry }: Line<AuditRow>) => <Target {...entry} names={all} />;
    const [what, to] = subjectAndReason<Line<AuditRow>>(
      {
        name: t`What`,
        render: (line) => (
          <button
            type="button"
            onClick={() => setAddress(placeOf(line))}
            className="block max-w-60 truncate rounded-xs font-medium hover:underline max-cards:max-w-full sm:max-w-none"
          >
            {i18n._(ACTION_WORDS[line.entry.action] ?? line.entry.action)}
            {line.times > 1 && <Times times={line.times} />}
          </button>
        ),
      },
      { name: t`To`, from: 'sm', card: 'line', render: (line) => line.times === 1 && targetOf(line) },
      targetOf,
    );
    return [
      what,
      to,
      {
        name: t`Changed`,
        wide: true,
        from: 'md',
        render: ({ entry, times }) => times === 1 && <ChangedFields {...entry} />,
      },
      { name: t`By`, from: 'sm', render: ({ entry }) => <Actor {...entry} names={keys} /> },
      { name: t`When`, figures: true, card: 'corner', render: ({ entry }) => <Time value={entry.createdAt} /> },
    ];
  }, [t, i18n, keys, all, setAddress]);
}

function Times({ times }: { times: number }) {
  return (
    <span className="figures ms-1.5 font-normal text-soft">
      <Trans>{times} times on this day</Trans>
    </span>
  );
}

/** The changes, as much as the line has room for: all of them are in the entry itself. */
function ChangedFields({ before, after }: Pick<AuditRow, 'before' | 'after'>) {
  return changes(before, after).map((change, at) => (
    <span key={change.field} className="text-xs">
      {at > 0 && <span className="text-faint"> · </span>}
      <ChangeWords change={change} />
    </span>
  ));
}

/** `URL: a → b`; of what was added or is gone the value alone. */
function ChangeWords({ change: { field, before, after, isSecret } }: { change: Change }) {
  const { t, i18n } = useLingui();
  const words = (value: unknown) => <Untrusted text={valueWords(field, value, i18n)} />;
  return (
    <>
      <span className="text-soft">
        <FieldName field={field} />
        {': '}
      </span>
      {isSecret ? (
        t`changed`
      ) : before === undefined ? (
        words(after)
      ) : (
        <>
          <span className="text-soft">{words(before)}</span>
          {after !== undefined && <> → {words(after)}</>}
        </>
      )}
    </>
  );
}
