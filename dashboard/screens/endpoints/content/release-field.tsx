import { useLingui } from '@lingui/react/macro';
import { useQuery } from 'urql';
import { Field } from '../../../parts/field';
import { Select } from '../../../parts/select';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { RELEASES } from './documents';

/** The release that an endpoint is pinned to. Nothing where the installation has none. */
export function ReleaseField({
  value,
  onChange,
  isNew,
}: {
  /** Empty: the newest versions. */
  value: string;
  onChange: (value: string) => void;
  /** Only the service knows yet what an endpoint is pinned to that is not there. */
  isNew: boolean;
}) {
  const { t, i18n } = useLingui();
  const [{ data }] = useQuery({ query: RELEASES, pause: isNew });
  const releases = data?.releases ?? [];
  const names = releases.map(({ name }) => name);
  if (isNew || (names.length === 0 && value === '')) {
    return null;
  }
  const all = value === '' || names.includes(value) ? names : [...names, value];
  return (
    <Field name={i18n._(ENDPOINT_FIELDS.release.name)} hint={i18n._(ENDPOINT_FIELDS.release.hint)}>
      {() => (
        <Select
          label={i18n._(ENDPOINT_FIELDS.release.name)}
          value={value}
          onChange={onChange}
          options={[{ value: '', name: t`The newest versions` }, ...all.map((name) => ({ value: name, name }))]}
        />
      )}
    </Field>
  );
}
