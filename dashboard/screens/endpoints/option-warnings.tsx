import { useLingui } from '@lingui/react/macro';
import { Untrusted } from '../../parts/untrusted';
import { type ShownWarning, warningText } from '../../text/option-warnings';

/** Possible mistakes in the options of an endpoint. */
export function OptionWarnings({ warnings }: { warnings: readonly ShownWarning[] }) {
  const { i18n } = useLingui();
  return (
    warnings.length > 0 && (
      <ul className="mt-2 flex flex-col gap-1 text-xs text-warn">
        {warnings.map((warning) => (
          <li key={warning.message}>
            <Untrusted text={warningText(warning, i18n)} />
          </li>
        ))}
      </ul>
    )
  );
}
