import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo, useState } from 'react';
import type { EventTypeWholeFragment } from '../../api/generated/graphql';
import { JsonView } from '../json-view';
import { Card } from '../page';
import { useAddress } from '../place';
import { Segments } from '../segments';
import { Select } from '../select';
import { Time } from '../time';
import { PropertyTable } from './property-table';
import { SchemaChanges } from './schema-changes';
import { propertiesOf } from './schema-properties';

type View = 'table' | 'json' | 'changes';

/** The payload schema of an event type, in a chosen version: as a table, as JSON, and with that version's changes. */
export function SchemaCard({ versions }: { versions: EventTypeWholeFragment['versions'] }) {
  const { t } = useLingui();
  const [address, setAddress] = useAddress();
  const [view, setView] = useState<View>('table');
  const [newest] = versions;
  const at = Math.max(
    0,
    versions.findIndex(({ version }) => String(version) === address['version']),
  );
  const shown = versions[at];
  const previous = versions[at + 1];
  const properties = useMemo(() => (shown ? propertiesOf(shown.schema) : []), [shown]);
  if (shown === undefined) {
    return null;
  }
  const views: { value: View; name: string }[] = [
    { value: 'table', name: t`Properties` },
    { value: 'json', name: t`JSON` },
    ...(previous ? [{ value: 'changes' as const, name: t`Changes` }] : []),
  ];
  const current = view === 'changes' && previous === undefined ? 'table' : view;
  return (
    <Card
      flush={current !== 'json'}
      title={<Trans>Payload</Trans>}
      actions={
        <>
          {versions.length > 1 && (
            <Select
              label={t`Version`}
              value={String(shown.version)}
              onChange={(version) => setAddress({ version: version === String(newest?.version) ? undefined : version })}
              options={versions.map(({ version }) => ({
                value: String(version),
                name: t`Version ${version}`,
              }))}
            />
          )}
          <Segments label={t`View`} value={current} onChange={setView} options={views} />
        </>
      }
    >
      {current === 'table' && <PropertyTable properties={properties} />}
      {current === 'json' && (
        <JsonView
          key={shown.version}
          text={JSON.stringify(shown.schema, null, 2)}
          name={t`schema of version ${shown.version}`}
        />
      )}
      {current === 'changes' && previous && <SchemaChanges before={previous} after={shown} />}
      <p className={`text-xs text-soft ${current === 'json' ? 'mt-2' : 'border-t border-line px-3.5 py-2'}`}>
        <Trans>
          Version {shown.version}, since <Time value={shown.createdAt} absolute />
        </Trans>
      </p>
    </Card>
  );
}
