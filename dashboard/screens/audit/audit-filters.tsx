import { Trans, useLingui } from '@lingui/react/macro';
import { type FormEvent, useState } from 'react';
import { AddressSelect } from '../../parts/address-select';
import { Button } from '../../parts/button';
import { FilterRow, TextInput } from '../../parts/field';
import { useAddress } from '../../parts/place';
import { ACTION_WORDS, TARGET_WORDS } from './words';

/** The filters of the log; the address keeps them. */
export function AuditFilters({ names }: { names: ReadonlyMap<string, string> }) {
  const { t, i18n } = useLingui();
  const [address, setAddress] = useAddress();
  const [target, setTarget] = useState(address['target'] ?? '');
  const find = (event: FormEvent) => {
    event.preventDefault();
    setAddress({ target: target.trim() });
  };
  const filtered = ['action', 'kind', 'key', 'target'].some((name) => address[name] !== undefined);
  return (
    <FilterRow>
      <AddressSelect
        name="action"
        label={t`Kind of change`}
        any={t`Any change`}
        options={Object.entries(ACTION_WORDS).map(([value, words]) => ({ value, name: i18n._(words) }))}
      />
      <AddressSelect
        name="kind"
        label={t`To what`}
        any={t`To anything`}
        options={Object.entries(TARGET_WORDS).map(([value, words]) => ({ value, name: i18n._(words) }))}
      />
      <AddressSelect
        name="key"
        label={t`By which key`}
        any={t`By anyone`}
        options={[...names].map(([value, name]) => ({ value, name: `${name} (${value})` }))}
      />
      <form onSubmit={find} className="w-52">
        <TextInput
          type="search"
          aria-label={t`ID of the changed object`}
          placeholder={t`ID, such as wh_12`}
          value={target}
          onChange={({ target: input }) => {
            setTarget(input.value);
            if (input.value === '') {
              setAddress({ target: undefined });
            }
          }}
        />
      </form>
      {filtered && (
        <Button
          look="quiet"
          onClick={() => {
            setTarget('');
            setAddress({ action: undefined, kind: undefined, key: undefined, target: undefined });
          }}
        >
          <Trans>Show all</Trans>
        </Button>
      )}
    </FilterRow>
  );
}
