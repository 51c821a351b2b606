import { Trans, useLingui } from '@lingui/react/macro';
import { Plus, Trash2 } from 'lucide-react';
import { Button } from '../../../parts/button';
import { TextInput, Tick } from '../../../parts/field';
import { Untrusted } from '../../../parts/untrusted';
import type { HeaderDraft } from './draft';

/** Headers to write, one in each row. */
export function HeaderRows({
  rows,
  refusalOf,
  onChange,
}: {
  rows: readonly HeaderDraft[];
  refusalOf: (row: HeaderDraft) => string | undefined;
  onChange: (rows: readonly HeaderDraft[]) => void;
}) {
  const next = Math.max(-1, ...rows.map(({ key }) => key)) + 1;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">
        <Trans>Headers</Trans>
      </legend>
      {rows.map((row) => (
        <HeaderRow
          key={row.key}
          row={row}
          refusal={refusalOf(row)}
          onChange={(one) => onChange(rows.map((other) => (other === row ? one : other)))}
          onRemove={() => onChange(rows.filter((other) => other !== row))}
        />
      ))}
      <div>
        <Button icon={<Plus />} onClick={() => onChange([...rows, { key: next, name: '', value: '', secret: true }])}>
          <Trans>Add a header</Trans>
        </Button>
      </div>
    </fieldset>
  );
}

function HeaderRow({
  row,
  refusal,
  onChange,
  onRemove,
}: {
  row: HeaderDraft;
  refusal: string | undefined;
  onChange: (row: HeaderDraft) => void;
  onRemove: () => void;
}) {
  const { t } = useLingui();
  const isKept = row.stored !== undefined && row.secret && row.value === '';
  return (
    <div>
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-32 flex-1">
          <TextInput
            aria-label={t`Name of the header`}
            placeholder="X-Api-Key"
            value={row.name}
            onChange={({ target }) => onChange({ ...row, name: target.value })}
          />
        </span>
        <span className="min-w-40 flex-2">
          <TextInput
            aria-label={t`Value of the header`}
            aria-invalid={refusal !== undefined}
            type={row.secret ? 'password' : 'text'}
            autoComplete={row.secret ? 'new-password' : 'off'}
            placeholder={isKept ? t`set; type to replace` : ''}
            value={row.value}
            onChange={({ target }) => onChange({ ...row, value: target.value })}
          />
        </span>
        <Tick checked={row.secret} onChange={({ target }) => onChange({ ...row, secret: target.checked })}>
          <Trans>Secret</Trans>
        </Tick>
        <Button look="quiet" icon={<Trash2 />} label={t`Remove the header`} onClick={onRemove} />
      </div>
      {refusal !== undefined && (
        <p className="mt-1 text-xs text-bad" aria-live="polite">
          <Untrusted text={refusal} />
        </p>
      )}
    </div>
  );
}
