import { Trans, useLingui } from '@lingui/react/macro';
import { Trash2 } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Button } from '../../../parts/button';
import { Select, TextInput } from '../../../parts/field';
import { plainUntrusted, Untrusted } from '../../../parts/untrusted';
import { type FilterRow, hasValue, isWritten } from './filter-rows';
import { kindOf, OPERATORS, readValue } from './filter-values';
import type { KnownPaths } from './use-paths';
import { KIND_NAMES, OPERATOR_WORDS } from './words';

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
  const { t, i18n } = useLingui();
  const hint = useId();
  const { path, op, value } = row;
  const described = { 'aria-describedby': hint, 'aria-invalid': refusal !== undefined };
  return (
    <div>
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-40 flex-2">
          <TextInput
            {...described}
            aria-label={t`Field`}
            autoFocus={autoFocus}
            list={list}
            placeholder="customer.country"
            value={path}
            onChange={({ target }) => onChange({ ...row, path: target.value })}
          />
        </span>
        <Select
          label={t`Comparison`}
          value={op}
          options={OPERATORS.map((one) => ({ value: one, name: i18n._(OPERATOR_WORDS[one]) }))}
          onChange={(chosen) => onChange({ ...row, op: chosen })}
        />
        {hasValue(op) && (
          <span className="min-w-32 flex-1">
            <TextInput
              {...described}
              aria-label={t`Value`}
              placeholder={op === 'IN' || op === 'NOT_IN' ? 'DE, AT, CH' : 'DE'}
              value={value}
              onChange={({ target }) => onChange({ ...row, value: target.value })}
            />
          </span>
        )}
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
  if (value.trim() === '') {
    return <Trans>Enter a value, or "" for an empty text.</Trans>;
  }
  const expected = paths.kindsAt(name);
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
