import { Trans, useLingui } from '@lingui/react/macro';
import { type FormEvent, useState } from 'react';
import type { AuditAction, AuditTarget } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { FilterRow, Select, TextInput } from '../../parts/field';
import { useAddress } from '../../parts/place';
import { ACTION_WORDS, TARGET_WORDS } from './words';

/** The filters of the log; the address keeps them. */
export function AuditFilters({ names }: { names: ReadonlyMap<string, string> }) {
  const { t, i18n } = useLingui();
  const [address, setAddress] = useAddress();
  const [target, setTarget] = useState(address['target'] ?? '');
  const set = (name: string) => (value: string) => setAddress({ [name]: value === 'any' ? undefined : value });
  const find = (event: FormEvent) => {
    event.preventDefault();
    setAddress({ target: target.trim() });
  };
  const filtered = ['action', 'kind', 'key', 'target'].some((name) => address[name] !== undefined);
  return (
    <FilterRow>
      <Select
        label={t`Kind of change`}
        value={address['action'] ?? 'any'}
        onChange={set('action')}
        options={[
          { value: 'any', name: t`Any change` },
          ...(Object.keys(ACTION_WORDS) as AuditAction[]).map((action) => ({
            value: action as string,
            name: i18n._(ACTION_WORDS[action]),
          })),
        ]}
      />
      <Select
        label={t`To what`}
        value={address['kind'] ?? 'any'}
        onChange={set('kind')}
        options={[
          { value: 'any', name: t`To anything` },
          ...(Object.keys(TARGET_WORDS) as AuditTarget[]).map((kind) => ({
            value: kind as string,
            name: i18n._(TARGET_WORDS[kind]),
          })),
        ]}
      />
      <Select
        label={t`By which key`}
        value={address['key'] ?? 'any'}
        onChange={set('key')}
        options={[
          { value: 'any', name: t`By anyone` },
          ...[...names].map(([id, name]) => ({ value: id, name: `${name} (${id})` })),
        ]}
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
