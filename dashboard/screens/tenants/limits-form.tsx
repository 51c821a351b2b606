import { Trans, useLingui } from '@lingui/react/macro';
import { LIMIT_NAMES, limits as limitFields } from '../../../src/domain/fields/limit-fields';
import type { TenantLimitsQuery } from '../../api/generated/graphql';
import { TextField } from '../../parts/field';
import type { Issue } from '../../parts/issues';
import { LIMIT_FIELDS } from '../../text/field-names';

export type TenantLimitValues = NonNullable<TenantLimitsQuery['tenant']>['limits'];

type Name = (typeof LIMIT_NAMES)[number] | 'reason';
export type LimitTexts = Record<Name, string>;

const NAMES: readonly Name[] = [...LIMIT_NAMES, 'reason'];

/** The texts of a form; an empty one is the value of the installation. */
export const textsOfLimits = (limits: TenantLimitValues): LimitTexts =>
  Object.fromEntries(NAMES.map((name) => [name, String(limits[name] ?? '')])) as LimitTexts;

/** The limits, for an input of the API. */
export const limitsOf = (texts: LimitTexts) => ({
  ...Object.fromEntries(LIMIT_NAMES.map((name) => [name, numberOf(texts[name])])),
  reason: texts.reason.trim() || null,
});

/** Whether all numbers can be sent. */
export const areLimits = (texts: LimitTexts): boolean => LIMIT_NAMES.every((name) => !isWrong(texts[name]));

const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text));
const isWrong = (text: string): boolean => text.trim() !== '' && !/^\s*[1-9]\d{0,8}\s*$/.test(text);

interface LimitsFormProps {
  value: LimitTexts;
  onChange: (value: LimitTexts) => void;
  /** The broken rules, with paths from the group on. */
  issues: readonly Issue[];
}

/** The limits of a tenant, and why it has them. */
export function LimitsForm({ value, onChange, issues }: LimitsFormProps) {
  const { t, i18n } = useLingui();
  const refusalOf = (name: Name) => issues.find(({ path }) => path[0] === name)?.detail;
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        {LIMIT_NAMES.map((name) => (
          <TextField
            key={name}
            value={value[name]}
            onChange={(text) => onChange({ ...value, [name]: text })}
            name={i18n._(LIMIT_FIELDS[name].name)}
            hint={i18n._(LIMIT_FIELDS[name].hint)}
            error={isWrong(value[name]) && <Trans>Write a whole number from 1.</Trans>}
            refusal={refusalOf(name)}
            placeholder={t`as the installation`}
            inputMode="numeric"
          />
        ))}
      </div>
      <TextField
        value={value.reason}
        onChange={(reason) => onChange({ ...value, reason })}
        name={<Trans>Reason</Trans>}
        hint={<Trans>The people of the tenant read it on their overview.</Trans>}
        refusal={refusalOf('reason')}
        maxLength={limitFields.fields.reason.charsMax}
      />
    </div>
  );
}
