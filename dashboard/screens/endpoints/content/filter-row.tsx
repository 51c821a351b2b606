import { Trans, useLingui } from '@lingui/react/macro';
import { Trash2 } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import type { FilterOp } from '../../../../src/domain/content/filter';
import { Button } from '../../../parts/button';
import { plainUntrusted, Untrusted } from '../../../parts/untrusted';
import { ConditionInputs } from './condition-inputs';
import { type FilterRow, hasValue, isWritten } from './filter-rows';
import { type Kinds, kindOf, readValue } from './filter-values';
import type { KnownPaths } from './use-paths';
import { KIND_NAMES } from './words';

interface FilterRowProps {
  row: FilterRow;
  /** The id of the list of suggested fields. */
  list: string;
  paths: KnownPaths;
  autoFocus: boolean;
  refusal: string | undefined;
  onChange: (row: FilterRow) => void;
  onRemove: () => void;
}

/** A condition to write: a field, a comparison and a value. */
export function FilterRowFields({ row, list, paths, autoFocus, refusal, onChange, onRemove }: FilterRowProps) {
  const { t } = useLingui();
  const hint = useId();
  const { op } = row;
  const kinds = paths.kindsAt(row.path.trim());
  return (
    <div>
      <div className="flex flex-wrap items-center gap-2">
        <ConditionInputs
          row={row}
          onChange={onChange}
          examples={{ path: 'customer.country', value: exampleOf(op, kinds) }}
          described={{ 'aria-describedby': hint, 'aria-invalid': refusal !== undefined }}
          list={list}
          autoFocus={autoFocus}
        />
        <Button look="quiet" icon={<Trash2 />} label={t`Remove the condition`} onClick={onRemove} />
      </div>
      <p id={hint} className="mt-1 min-h-4 text-xs text-soft" aria-live="polite">
        {refusal === undefined ? (
          <RowHint row={row} paths={paths} />
        ) : (
          <span className="text-bad">
            <Untrusted text={refusal} />
          </span>
        )}
      </p>
    </div>
  );
}

const mayBeText = (kinds: Kinds): boolean => kinds === undefined || kinds.has('text');

function exampleOf(op: FilterOp, kinds: Kinds): string {
  const isList = op === 'IN' || op === 'NOT_IN';
  if (!mayBeText(kinds)) {
    return kinds?.has('number') ? (isList ? '1000, 2000' : '1000') : 'true';
  }
  return isList ? 'DE, AT, CH' : 'DE';
}

/** What a person might not expect of a condition: a field without a schema, or a value of another type. */
function RowHint({ row, paths }: { row: FilterRow; paths: KnownPaths }): ReactNode {
  const { i18n } = useLingui();
  const { path, op, value } = row;
  const name = path.trim();
  if (name === '') {
    return isWritten(row) && <Trans>Choose a field.</Trans>;
  }
  if (paths.isUnknown(name)) {
    return (
      <span className="text-warn">
        <Trans>No subscribed type has this field in its schema.</Trans>
      </span>
    );
  }
  if (!hasValue(op)) {
    return null;
  }
  const expected = paths.kindsAt(name);
  if (value.trim() === '') {
    return mayBeText(expected) ? <Trans>Enter a value, or "" for an empty text.</Trans> : <Trans>Enter a value.</Trans>;
  }
  const kinds = [readValue(value, op, expected)].flat().map(kindOf);
  const said = i18n._(KIND_NAMES[kinds[0]!]);
  if (expected && !kinds.some((kind) => expected.has(kind))) {
    const wanted = [...expected].map((kind) => i18n._(KIND_NAMES[kind])).join(', ');
    return (
      <span className="text-warn">
        <Trans>
          This is {said}, but {plainUntrusted(name)} is {wanted}. It will never match.
        </Trans>
      </span>
    );
  }
  return new Set(kinds).size === 1 && <Trans>This is {said}.</Trans>;
}
