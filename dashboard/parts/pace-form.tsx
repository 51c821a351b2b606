import { Trans, useLingui } from '@lingui/react/macro';
import { ENDPOINT_FIELDS } from '../text/field-names';
import { Button } from './button';
import { TextField } from './field';
import type { Issue } from './issues';
import { delaysText, listOf, type PaceTexts, PRESETS } from './pace';
import { RetryLine, ScheduleWords } from './retry-line';
import { Select } from './select';

interface PaceFormProps {
  value: PaceTexts;
  onChange: (value: PaceTexts) => void;
  /** The broken rules, with paths from the group on. */
  issues: readonly Issue[];
}

/** How endpoints are called: timeout, retries, pace and recovery. */
export function PaceForm({ value, onChange, issues }: PaceFormProps) {
  const { t, i18n } = useLingui();
  const refusalOf = (name: string) => issues.find(({ path }) => path[0] === name)?.detail;
  const text = (name: 'timeout' | 'rate' | 'concurrency', field: 'timeoutMs' | 'ratePerSecond' | 'concurrencyMax') => (
    <TextField
      value={value[name]}
      onChange={(typed) => onChange({ ...value, [name]: typed })}
      name={i18n._(ENDPOINT_FIELDS[field].name)}
      hint={i18n._(ENDPOINT_FIELDS[field].hint)}
      refusal={refusalOf(field)}
      placeholder={t`inherited`}
      inputMode="decimal"
    />
  );
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-3">
        {text('timeout', 'timeoutMs')}
        {text('rate', 'ratePerSecond')}
        {text('concurrency', 'concurrencyMax')}
      </div>
      <RetriesField value={value} onChange={onChange} refusal={refusalOf('retryDelaysSeconds')} />
      <div>
        <h3 className="mb-1 text-sm font-medium">{i18n._(ENDPOINT_FIELDS.recovery.name)}</h3>
        <Select
          label={i18n._(ENDPOINT_FIELDS.recovery.name)}
          value={value.recovery}
          options={[
            { value: 'INHERITED', name: t`Inherited` },
            { value: 'MANUAL', name: t`Manual` },
            { value: 'AUTOMATIC', name: t`It comes back by itself` },
          ]}
          onChange={(recovery) => onChange({ ...value, recovery })}
        />
        <p className="mt-1 text-xs text-soft">{i18n._(ENDPOINT_FIELDS.recovery.hint)}</p>
      </div>
    </div>
  );
}

function RetriesField({
  value,
  onChange,
  refusal,
}: Pick<PaceFormProps, 'value' | 'onChange'> & { refusal: string | undefined }) {
  const { t, i18n } = useLingui();
  const { name, hint } = ENDPOINT_FIELDS.retryDelaysSeconds;
  const list = listOf(value);
  const fill = (delays: readonly number[]) => onChange({ ...value, retries: 'LIST', delays: delaysText(delays) });
  return (
    <div className="flex flex-col gap-2">
      <h3 className="text-sm font-medium">{i18n._(name)}</h3>
      <div className="flex flex-wrap items-center gap-2">
        <Select
          label={i18n._(name)}
          value={value.retries}
          options={[
            { value: 'INHERITED', name: t`Inherited` },
            { value: 'ONCE', name: t`One attempt` },
            { value: 'LIST', name: t`Own delays` },
          ]}
          onChange={(retries) => onChange({ ...value, retries })}
        />
        <Button onClick={() => fill(PRESETS.CONTRACT)}>
          <Trans>Default: 62 min</Trans>
        </Button>
        <Button onClick={() => fill(PRESETS.QUICK)}>
          <Trans>Quick: 5 s to 10 min</Trans>
        </Button>
        <Button onClick={() => fill(PRESETS.PATIENT)}>
          <Trans>Patient: 3 days</Trans>
        </Button>
      </div>
      {value.retries === 'LIST' && (
        <TextField
          value={value.delays}
          onChange={(delays) => onChange({ ...value, delays })}
          name={<Trans>Delays</Trans>}
          hint={i18n._(hint)}
          error={list === null && <Trans>Write numbers with s, m, h or d.</Trans>}
          refusal={refusal}
        />
      )}
      {list !== null && (
        <div>
          <RetryLine delays={list} />
          <p className="text-xs text-soft">
            <ScheduleWords delays={list} />
          </p>
        </div>
      )}
    </div>
  );
}
