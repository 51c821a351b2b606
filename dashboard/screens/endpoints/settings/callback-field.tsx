import { useLingui } from '@lingui/react/macro';
import { ENDPOINT_FIELDS } from '../../../text/field-names';

/** Whether events go to addresses below the URL. */
export function CallbackField({ checked, onChange }: { checked: boolean; onChange: (checked: boolean) => void }) {
  const { i18n } = useLingui();
  const { name, hint } = ENDPOINT_FIELDS.callback;
  return (
    <div>
      <label className="flex items-center gap-2 text-sm">
        <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
        {i18n._(name)}
      </label>
      <p className="mt-1 text-xs text-soft">{i18n._(hint)}</p>
    </div>
  );
}
