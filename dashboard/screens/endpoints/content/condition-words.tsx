import { Trans, useLingui } from '@lingui/react/macro';
import type { FieldCondition } from '../../../../src/domain/content/filter';
import { plainUntrusted, Untrusted } from '../../../parts/untrusted';
import { hasValue } from './filter-rows';
import { valueText } from './filter-values';
import { OPERATOR_WORDS } from './words';

/** A condition of a filter: `total.amount` is at least 1000. */
export function ConditionWords({
  condition: { path, op, value },
  negated = false,
  pointer = '',
}: {
  condition: FieldCondition;
  /** It must not be met. */
  negated?: boolean;
  /** Its place in the filter, where an event does not meet it. */
  pointer?: string;
}) {
  const { i18n } = useLingui();
  if (pointer.endsWith('/element')) {
    const list = <code className="font-mono text-xs">{plainUntrusted(path)}</code>;
    return negated ? (
      <Trans>one element of {list} meets all conditions</Trans>
    ) : (
      <Trans>no element of {list} meets all conditions</Trans>
    );
  }
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
