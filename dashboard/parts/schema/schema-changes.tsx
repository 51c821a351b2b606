import { Trans, useLingui } from '@lingui/react/macro';
import { Minus, Pencil, Plus } from 'lucide-react';
import { useMemo } from 'react';
import type { EventTypeWholeFragment } from '../../api/generated/graphql';
import { Badge } from '../status';
import { Untrusted } from '../untrusted';
import { type SchemaChange, schemaDiff, wordsOf } from './schema-diff';

type Version = EventTypeWholeFragment['versions'][number];

/** The changes of a schema's version against the version before it. */
export function SchemaChanges({ before, after }: { before: Version; after: Version }) {
  const found = useMemo(() => schemaDiff(before.schema, after.schema), [before, after]);
  if (found.length === 0) {
    return (
      <p className="px-3.5 py-6 text-center text-sm text-soft">
        <Trans>No property differs from version {before.version}. Only texts or other rules changed.</Trans>
      </p>
    );
  }
  return (
    <ul className="divide-y divide-line">
      {found.map((change) => (
        <li
          key={`${change.kind} ${change.property.path}`}
          className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-3.5 py-2 text-sm"
        >
          <span className="w-24 shrink-0">
            <ChangeBadge kind={change.kind} />
          </span>
          <code className="font-mono text-xs font-medium">
            <Untrusted text={change.property.path} />
          </code>
          <span className="font-mono text-xs text-soft [overflow-wrap:anywhere]">
            {change.kind === 'CHANGED' ? (
              <>
                <Untrusted text={change.before} /> → <Untrusted text={change.after} />
              </>
            ) : (
              <Untrusted text={wordsOf(change.property)} />
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

function ChangeBadge({ kind }: Pick<SchemaChange, 'kind'>) {
  const { t } = useLingui();
  switch (kind) {
    case 'ADDED':
      return <Badge tone="good" icon={Plus}>{t`Added`}</Badge>;
    case 'REMOVED':
      return <Badge tone="bad" icon={Minus}>{t`Removed`}</Badge>;
    case 'CHANGED':
      return <Badge tone="warn" icon={Pencil}>{t`Changed`}</Badge>;
  }
}
