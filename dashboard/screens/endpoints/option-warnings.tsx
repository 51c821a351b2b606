import { useLingui } from '@lingui/react/macro';
import { Untrusted } from '../../parts/untrusted';
import { type ShownWarning, warningText } from '../../text/option-warnings';

/** What may be a mistake in the options of an endpoint. */
export function OptionWarnings({ warnings }: { warnings: readonly ShownWarning[] }) {
  const { i18n } = useLingui();
  return warnings.map((warning) => (
    <p key={warning.message} className="text-xs text-warn">
      <Untrusted text={warningText(warning, i18n)} />
    </p>
  ));
}
