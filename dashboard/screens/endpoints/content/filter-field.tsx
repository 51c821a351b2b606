import { Trans, useLingui } from '@lingui/react/macro';
import { Plus } from 'lucide-react';
import { useId, useState } from 'react';
import type { EventFilter } from '../../../../src/domain/content/filter';
import { Button } from '../../../parts/button';
import { Tick } from '../../../parts/field';
import { REFUSAL } from '../../../parts/first-refusal';
import type { Issue } from '../../../parts/issues';
import { JsonField, parseObject } from '../../../parts/json-field';
import { Segments } from '../../../parts/segments';
import { plainUntrusted, Untrusted } from '../../../parts/untrusted';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { FilterRowFields } from './filter-row';
import { type FilterDraft, type FilterRow, filterOfRows, NEW_ROW, rowAt, rowsOf, writtenRows } from './filter-rows';
import type { KnownPaths } from './use-paths';

interface FilterFieldProps {
  value: FilterDraft;
  onChange: (value: FilterDraft) => void;
  paths: KnownPaths;
  /** The broken rules, with paths from the filter on. */
  issues: readonly Issue[];
  /** Whether a condition is there to be written only when somebody adds it. */
  beginsEmpty: boolean;
}

/** The filter of an endpoint: conditions in rows, or the whole filter in JSON. */
export function FilterField(props: FilterFieldProps) {
  const { i18n } = useLingui();
  const { value } = props;
  return (
    <section className="flex flex-col gap-2">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-2">
        <h3 className="text-sm font-medium">{i18n._(ENDPOINT_FIELDS.filter.name)}</h3>
        <OtherForm {...props} />
      </div>
      {value.text === undefined ? <Rows {...props} /> : <AsText {...props} text={value.text} />}
    </section>
  );
}

/** Turns rows into JSON, and JSON into rows where they can show it. */
function OtherForm({ value, onChange, paths }: FilterFieldProps) {
  const { t } = useLingui();
  if (value.text === undefined) {
    const text = JSON.stringify(filterOfRows(value, paths.kindsAt) ?? { all: [] }, null, 2);
    return (
      <Button look="quiet" onClick={() => onChange({ ...value, text })}>
        <Trans>Edit as JSON</Trans>
      </Button>
    );
  }
  const parsed = parseObject(value.text);
  const rows = 'value' in parsed ? rowsOf(parsed.value as EventFilter) : undefined;
  return (
    <div className="flex flex-wrap gap-2">
      <Button look="quiet" onClick={() => onChange({ join: 'all', rows: [] })}>
        <Trans>Remove the filter</Trans>
      </Button>
      <Button
        look="quiet"
        refused={rows === undefined ? t`Rows cannot show this filter.` : undefined}
        onClick={() => rows && onChange(rows)}
      >
        <Trans>Edit in rows</Trans>
      </Button>
    </div>
  );
}

function AsText({ value, onChange, issues, text }: FilterFieldProps & { text: string }) {
  return (
    <JsonField
      name={<Trans>Filter in JSON</Trans>}
      hint={<Trans>Objects with one of: all, any, not, field, element.</Trans>}
      rows={10}
      value={text}
      onChange={(typed) => onChange({ ...value, text: typed })}
      issues={issues}
    />
  );
}

/** Shown where different elements of a list might meet the rows. */
function SameElement({ value, onChange, paths }: Pick<FilterFieldProps, 'value' | 'onChange' | 'paths'>) {
  const filter = filterOfRows(value, paths.kindsAt);
  const list = value.elementOf ?? (filter === null ? undefined : paths.sharedListOf(filter));
  if (list === undefined || value.join === 'any') {
    return null;
  }
  return (
    <Tick
      checked={value.elementOf !== undefined}
      onChange={({ target }) => onChange({ ...value, elementOf: target.checked ? list : undefined })}
    >
      <Trans>
        One element of <code className="font-mono text-xs">{plainUntrusted(list)}</code> must meet all of its conditions
      </Trans>
    </Tick>
  );
}

/** Whether all conditions must match, or one. */
function Join({ value, onChange }: Pick<FilterFieldProps, 'value' | 'onChange'>) {
  const { t } = useLingui();
  return (
    <div>
      <Segments
        label={t`Conditions`}
        value={value.join}
        onChange={(join) => onChange({ ...value, join })}
        options={[
          { value: 'all', name: t`All must match` },
          { value: 'any', name: t`One must match` },
        ]}
      />
    </div>
  );
}

function Rows({ value, onChange, paths, issues, beginsEmpty }: FilterFieldProps) {
  const [added, setAdded] = useState<number>();
  const list = useId();
  const rows: readonly FilterRow[] = value.rows.length > 0 || beginsEmpty ? value.rows : [{ key: 0, ...NEW_ROW }];
  const written = writtenRows({ ...value, rows });
  const next = Math.max(-1, ...rows.map(({ key }) => key)) + 1;
  const change = (changed: readonly FilterRow[]) => onChange({ ...value, rows: changed });
  const add = () => {
    setAdded(next);
    change([...rows, { key: next, ...NEW_ROW }]);
  };
  const placed = issues.map((issue) => ({ ...issue, place: rowAt(issue.path) }));
  return (
    <>
      {written.length === 0 && (
        <p className="text-sm text-soft">
          <Trans>Each event of the subscribed types is sent.</Trans>
        </p>
      )}
      {rows.length > 1 && <Join value={value} onChange={onChange} />}
      {rows.map((row) => (
        <FilterRowFields
          key={row.key}
          row={row}
          list={list}
          paths={paths}
          autoFocus={row.key === added}
          refusal={placed.find(({ place }) => place !== undefined && written[place.row] === row)?.detail}
          onChange={(changed) => change(rows.map((one) => (one === row ? changed : one)))}
          onRemove={() => change(rows.filter((one) => one !== row))}
        />
      ))}
      <SameElement value={value} onChange={onChange} paths={paths} />
      <datalist id={list}>
        {paths.known.map(({ path }) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      {placed
        .filter(({ place }) => place === undefined)
        .map(({ detail }) => (
          <p key={detail} {...REFUSAL} className="text-xs text-bad" role="alert">
            <Untrusted text={detail} />
          </p>
        ))}
      <div>
        <Button icon={<Plus />} onClick={add}>
          <Trans>Add a condition</Trans>
        </Button>
      </div>
    </>
  );
}
