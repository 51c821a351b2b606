import type { MessageDescriptor } from '@lingui/core';
import { Trans, useLingui } from '@lingui/react/macro';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from './button';
import { Dialog } from './dialog';
import { Field, TextInput } from './field';
import type { FinderProps } from './frame-tools';
import { useGo } from './place';

/** Something that was found. */
export interface Hit {
  path: string;
  name: ReactNode;
}

/** The result of a search: a page to open at once, a list to choose from, or why nothing was found. */
export interface Findings {
  hits: readonly Hit[];
  nothing: string;
}

/** A window that takes an id, a name or a screen's name, and goes there; of several hits the person chooses. */
export function FindWindow({
  open,
  onClose,
  name,
  hint,
  screens,
  find,
}: FinderProps & {
  name: ReactNode;
  hint: ReactNode;
  screens: readonly { path: string; name: MessageDescriptor }[];
  /** @param wanted what was typed, without blanks around it. */
  find: (wanted: string) => Promise<Findings>;
}) {
  const { i18n } = useLingui();
  const go = useGo();
  const [text, setText] = useState('');
  const [found, setFound] = useState<Findings>();
  const wanted = text.trim();
  const named = screens.filter(
    (screen) => wanted !== '' && i18n._(screen.name).toLowerCase().includes(wanted.toLowerCase()),
  );
  const close = () => {
    setText('');
    setFound(undefined);
    onClose();
  };
  const leave = (to: string) => {
    close();
    go(to);
  };
  const search = async (event: FormEvent) => {
    event.preventDefault();
    if (wanted === '') {
      return;
    }
    const findings = await find(wanted);
    const only = findings.hits.length === 0 ? named[0] : findings.hits.length === 1 ? findings.hits[0] : undefined;
    if (only === undefined) {
      setFound(findings);
    } else {
      leave(only.path);
    }
  };
  return (
    <Dialog open={open} onClose={close} title={<Trans>Find</Trans>}>
      <form onSubmit={(event) => void search(event)}>
        <Field name={name} hint={hint} error={found?.hits.length === 0 && found.nothing}>
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
          {[...(found?.hits ?? []), ...named.map((screen) => ({ path: screen.path, name: i18n._(screen.name) }))].map(
            (hit) => (
              <Button key={hit.path} look="quiet" onClick={() => leave(hit.path)}>
                {hit.name}
              </Button>
            ),
          )}
        </div>
      </form>
    </Dialog>
  );
}
