import { Trans, useLingui } from '@lingui/react/macro';
import { type FormEvent, useState } from 'react';
import { useClient } from 'urql';
import { Button } from '../parts/button';
import { Dialog } from '../parts/dialog';
import { Field, TextInput } from '../parts/field';
import type { FinderProps } from '../parts/frame-tools';
import { useGo } from '../parts/place';
import { Untrusted } from '../parts/untrusted';
import { FIND_TENANT } from './documents';
import { CONSOLE_SCREENS } from './screens';

interface Found {
  databaseId: number;
  name: string;
}

/** Takes the name or the id of a tenant, or the name of a screen of the console, and goes there. */
export default function TenantFinder({ open, onClose }: FinderProps) {
  const { t, i18n } = useLingui();
  const client = useClient();
  const go = useGo();
  const [text, setText] = useState('');
  const [found, setFound] = useState<Found[]>();
  const [trouble, setTrouble] = useState<string>();
  const wanted = text.trim();
  const screens = CONSOLE_SCREENS.filter(
    ({ name }) => wanted !== '' && i18n._(name).toLowerCase().includes(wanted.toLowerCase()),
  );
  const leave = (to: string) => {
    setText('');
    setFound(undefined);
    onClose();
    go(to);
  };
  const find = async (event: FormEvent) => {
    event.preventDefault();
    if (wanted === '') {
      return;
    }
    const number = /^(?:tn_)?(\d{1,15})$/.exec(wanted)?.[1];
    const variables = { id: number ?? '0', byId: number !== undefined, text: wanted };
    const { data, error } = await client
      .query(FIND_TENANT, variables, { requestPolicy: 'network-only' })
      .toPromise();
    const named = data?.tenants?.edges.map(({ node }) => node) ?? [];
    const hits = data?.tenant ? [data.tenant, ...named.filter(({ id }) => id !== data.tenant?.id)] : named;
    const [only] = hits;
    const [screen] = screens;
    if (hits.length === 1 && only !== undefined) {
      leave(`/tenants/${only.databaseId}`);
    } else if (hits.length === 0 && screen !== undefined) {
      leave(screen.path);
    } else {
      setTrouble(error?.networkError ? t`The service cannot be reached.` : undefined);
      setFound(hits);
    }
  };
  return (
    <Dialog open={open} onClose={onClose} title={<Trans>Find</Trans>}>
      <form onSubmit={(event) => void find(event)}>
        <Field
          name={<Trans>The id of a tenant, or a part of its name; or a screen</Trans>}
          hint={<Trans>Events, deliveries and endpoints have their search inside their tenant.</Trans>}
          error={
            found?.length === 0 &&
            (trouble ?? t`No tenant has the id “${wanted}”, or a name with that in it.`)
          }
        >
          {(props) => (
            <TextInput
              {...props}
              autoFocus
              value={text}
              onChange={({ target }) => {
                setText(target.value);
                setFound(undefined);
              }}
            />
          )}
        </Field>
        <div className="mt-2 flex flex-col items-start gap-1">
          {found?.map(({ databaseId, name }) => (
            <Button key={databaseId} look="quiet" onClick={() => leave(`/tenants/${databaseId}`)}>
              <span className="max-w-[min(24rem,60vw)] truncate">
                <Untrusted text={name} />
              </span>
              <span className="text-faint">tn_{databaseId}</span>
            </Button>
          ))}
          {screens.map(({ path, name }) => (
            <Button key={path} look="quiet" onClick={() => leave(path)}>
              {i18n._(name)}
            </Button>
          ))}
        </div>
      </form>
    </Dialog>
  );
}
