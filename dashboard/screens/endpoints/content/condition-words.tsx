import { Trans, useLingui } from '@lingui/react/macro';
import type { FieldCondition } from '../../../../src/domain/content/filter';
import { Untrusted } from '../../../parts/untrusted';
import { hasValue } from './filter-rows';
import { valueText } from './filter-values';
import { OPERATOR_WORDS } from './words';

/** A condition of a filter: `total.amount` is at least 1000. @param negated it must not be met */
export function ConditionWords({
  condition: { path, op, value },
  negated = false,
}: {
  condition: FieldCondition;
  negated?: boolean;
}) {
  const { i18n } = useLingui();
  return (
    <>
      {negated && (
        <>
          <Trans>not:</Trans>{' '}
        </>
      )}
      <code className="font-mono text-xs">
        <Untrusted text={path} />
      </code>{' '}
      {i18n._(OPERATOR_WORDS[op])} {hasValue(op) && <Untrusted text={valueText(value, op)} />}
    </>
  );
}
