import { useLingui } from '@lingui/react/macro';
import type { ComponentProps } from 'react';
import { TextInput } from '../../../parts/field';
import { Select } from '../../../parts/select';
import { type FilterRow, hasValue } from './filter-rows';
import { OPERATORS } from './filter-values';
import { OPERATOR_WORDS } from './words';

interface ConditionInputsProps {
  row: FilterRow;
  onChange: (row: FilterRow) => void;
  /** Examples of a field and of a value. */
  examples: { path: string; value: string };
  /** ARIA attributes of the text inputs. */
  described?: Pick<ComponentProps<typeof TextInput>, 'aria-describedby' | 'aria-invalid'>;
  /** The id of the list of suggested fields. */
  list?: string;
  autoFocus?: boolean;
}

/** The inputs of a condition, side by side: a field, a comparison and a value. */
export function ConditionInputs({ row, onChange, examples, described, list, autoFocus }: ConditionInputsProps) {
  const { t, i18n } = useLingui();
  const { path, op, value } = row;
  return (
    <>
      <span className="min-w-40 flex-2">
        <TextInput
          {...described}
          aria-label={t`Field`}
          autoFocus={autoFocus}
          list={list}
          placeholder={examples.path}
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
            placeholder={examples.value}
            value={value}
            onChange={({ target }) => onChange({ ...row, value: target.value })}
          />
        </span>
      )}
    </>
  );
}
