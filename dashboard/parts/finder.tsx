import { Trans, useLingui } from '@lingui/react/macro';
import { type FormEvent, useState } from 'react';
import { useClient } from 'urql';
import { graphql } from '../api/generated';
import { Button } from './button';
import { Dialog } from './dialog';
import { Field, TextInput } from './field';
import { useGo } from './place';
import { TENANT_SCREENS } from './screens';

const FIND = graphql(`
  query Find($delivery: ID!, $event: ID!, $webhook: ID!) {
    delivery(id: $delivery) { id databaseId }
    event(id: $event) { id databaseId }
    webhook(id: $webhook) { id databaseId }
  }
`);

const PREFIXES = { delivery: 'dl', event: 'ev', webhook: 'wh' } as const;

type Kind = keyof typeof PREFIXES;

const PATHS: Record<Kind, string> = { delivery: '/deliveries', event: '/events', webhook: '/endpoints' };

/** Takes any id that a person has, of a header, a log or another page, and goes there. A screen's name works too. */
export default function Finder({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t, i18n } = useLingui();
  const client = useClient();
  const go = useGo();
  const [text, setText] = useState('');
  const [found, setFound] = useState<{ kind: Kind; id: number }[]>();
  const wanted = text.trim();
  const screens = TENANT_SCREENS.filter(
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
    const [screen] = screens;
    const [, prefix, number] = /^(dl|ev|wh)?_?(\d{1,16})$/.exec(wanted) ?? [];
    if (number === undefined) {
      if (screen !== undefined) {
        leave(screen.path);
      } else {
        setFound([]);
      }
      return;
    }
    const result = await client
      .query(FIND, { delivery: number, event: number, webhook: number }, { requestPolicy: 'network-only' })
      .toPromise();
    const hits = (Object.keys(PREFIXES) as Kind[]).filter(
      (kind) => result.data?.[kind] != null && (prefix === undefined || prefix === PREFIXES[kind]),
    );
    const [only] = hits;
    if (hits.length === 1 && only !== undefined) {
      leave(`${PATHS[only]}/${number}`);
    } else {
      setFound(hits.map((kind) => ({ kind, id: Number(number) })));
    }
  };
  const kinds: Record<Kind, string> = { delivery: t`Delivery`, event: t`Event`, webhook: t`Endpoint` };
  return (
    <Dialog open={open} onClose={onClose} title={<Trans>Find</Trans>}>
      <form onSubmit={(event) => void find(event)}>
        <Field
          name={<Trans>An id or number of a delivery, an event or an endpoint; or a screen</Trans>}
          hint={<Trans>A receiver has a delivery's number in the header X-Service-Delivery.</Trans>}
          error={found?.length === 0 && t`Nothing here has the id “${wanted}”.`}
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
          {found?.map(({ kind, id }) => (
            <Button key={kind} look="quiet" onClick={() => leave(`${PATHS[kind]}/${id}`)}>
              {kinds[kind]} {id}
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
