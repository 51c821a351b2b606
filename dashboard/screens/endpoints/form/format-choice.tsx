import { Trans, useLingui } from '@lingui/react/macro';
import type { ContentFormat } from '../../../api/generated/graphql';
import { Select } from '../../../parts/field';
import { Untrusted } from '../../../parts/untrusted';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { FORMATS } from '../content/words';

/** A template is written later, beside its dry run. */
const OFFERED = (Object.keys(FORMATS) as ContentFormat[]).filter((format) => format !== 'TEMPLATE');

/** The format of what a new endpoint gets, from its first event on. */
export function FormatChoice({
  value,
  isByUrl,
  refusal,
  onChange,
}: {
  value: ContentFormat;
  /** Nobody has chosen it. */
  isByUrl: boolean;
  refusal: string | undefined;
  onChange: (format: ContentFormat) => void;
}) {
  const { i18n } = useLingui();
  const name = i18n._(ENDPOINT_FIELDS.format.name);
  return (
    <div>
      <h2 className="mb-1 text-sm font-medium">{name}</h2>
      <Select
        label={name}
        value={value}
        options={OFFERED.map((format) => ({ value: format, name: i18n._(FORMATS[format].name) }))}
        onChange={onChange}
      />
      <p className="mt-1 min-h-4 text-xs text-soft" aria-live="polite">
        {refusal === undefined ? (
          <>
            {i18n._(FORMATS[value].hint)} {isByUrl && value !== 'JSON' && <Trans>Chosen by the URL.</Trans>}
          </>
        ) : (
          <span className="text-bad">
            <Untrusted text={refusal} />
          </span>
        )}
      </p>
    </div>
  );
}
