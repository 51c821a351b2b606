import { useLingui } from '@lingui/react/macro';
import { type ReactNode, useState } from 'react';
import { TextField } from '../../../parts/field';
import type { FieldProps } from '../../../parts/form';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { pairsOf } from './endpoint-values';

export type TextMap = Readonly<Record<string, string>>;

/** Texts by keys, one `key: text` on a line. */
export function TextMapField({
  name,
  label,
  value,
  onChange,
  refusal,
}: { name: keyof typeof ENDPOINT_FIELDS; label: ReactNode } & FieldProps<TextMap | null>) {
  const { i18n } = useLingui();
  const [typed, setTyped] = useState('');
  const stored = pairsOf(value).join('\n');
  // What was typed keeps its blank lines and blanks, unless the value comes from somewhere else.
  const shown = pairsOf(mapOf(typed)).join('\n') === stored ? typed : stored;
  return (
    <TextField
      name={label}
      hint={i18n._(ENDPOINT_FIELDS[name].hint)}
      refusal={refusal}
      lines
      value={shown}
      onChange={(text) => {
        setTyped(text);
        onChange(mapOf(text));
      }}
    />
  );
}

const mapOf = (text: string): TextMap =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const [key = '', ...rest] = line.split(':');
        return [key.trim(), rest.join(':').trim()];
      }),
  );
