import type { MessageDescriptor } from '@lingui/core';
import { Trans, useLingui } from '@lingui/react/macro';
import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { PAYLOAD_PART_CHARS } from '../../src/domain/events/payload-search';
import { Dialog } from './dialog';
import { Field } from './field';
import { FindField, type Hit } from './find-field';
import type { FinderProps } from './frame-tools';
import { PlaceContext } from './place';
import { Untrusted } from './untrusted';
import { lastVisits } from './visits';

/** The result of a search, and the sentence for one that found nothing. */
export interface Findings {
  hits: readonly Hit[];
  nothing: string;
}

/** @param wanted what was typed, without blanks around it */
type Find = (wanted: string) => Promise<Findings>;

/** How long nobody types before a search begins. */
const PAUSE_MS = 150;

/** Lists what has a typed number, id or name, and goes there; before anything is typed, the last pages. */
export function FindWindow({
  open,
  onClose,
  name,
  hint,
  screens,
  find,
  payloads,
}: FinderProps & {
  name: ReactNode;
  hint: ReactNode;
  screens: readonly { path: string; name: MessageDescriptor }[];
  find: Find;
  /** The path of the search of payloads; undefined: the caller may not search them. */
  payloads: string | undefined;
}) {
  const { t, i18n } = useLingui();
  const place = useContext(PlaceContext);
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const wanted = text.trim();
  const findings = useFindings(open ? wanted : '', find);
  const named = screens
    .map((screen) => ({ path: `${place}${screen.path}`, name: i18n._(screen.name) }))
    .filter((screen) => screen.name.toLowerCase().includes(wanted.toLowerCase()));
  const visited = lastVisits().map((visit) => ({ path: visit.path, name: <VisitName {...visit} /> }));
  const found = wanted === '' ? visited : [...named, ...(findings?.hits ?? [])];
  // It comes last, and only once nothing comes before it any more.
  const further = findings !== undefined && payloads !== undefined ? payloadHits(payloads, wanted) : [];
  const close = () => {
    setText('');
    onClose();
  };
  const leave = ({ path, search = {} }: Hit) => {
    close();
    void navigate({ to: path as string, search: search as never });
  };
  return (
    <Dialog open={open} onClose={close} title={<Trans>Find</Trans>}>
      <Field name={name} hint={hint} error={found.length === 0 && findings?.nothing}>
        {(props) => (
          <FindField
            {...props}
            text={text}
            onChange={setText}
            label={wanted === '' ? t`Last visited` : t`Results`}
            hits={[...found, ...further]}
            busy={wanted !== '' && findings === undefined}
            onChoose={leave}
          />
        )}
      </Field>
    </Dialog>
  );
}

/** @returns none for a text that the API does not search payloads for */
function payloadHits(path: string, text: string): Hit[] {
  const { length } = Array.from(text);
  const isSearched = length >= PAYLOAD_PART_CHARS.min && length <= PAYLOAD_PART_CHARS.max;
  return isSearched
    ? [{ path, search: { text, range: '7d' }, further: true, name: <PayloadSearchName text={text} /> }]
    : [];
}

function PayloadSearchName({ text }: { text: string }) {
  return (
    <>
      <Search aria-hidden className="size-3.5 shrink-0 text-faint" />
      <span className="truncate">
        <Trans>
          Search payloads for “<Untrusted text={text} />”
        </Trans>
      </span>
    </>
  );
}

/** @returns undefined while it searches */
function useFindings(wanted: string, find: Find): Findings | undefined {
  const latest = useRef(find);
  latest.current = find;
  const [found, setFound] = useState<{ wanted: string; findings: Findings }>();
  useEffect(() => {
    if (wanted === '') {
      return;
    }
    let isLatest = true;
    const timer = setTimeout(async () => {
      const findings = await latest.current(wanted);
      if (isLatest) {
        setFound({ wanted, findings });
      }
    }, PAUSE_MS);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [wanted]);
  return found?.wanted === wanted && wanted !== '' ? found.findings : undefined;
}

function VisitName({ name, path }: { name: string; path: string }) {
  const last = path.slice(path.lastIndexOf('/') + 1);
  return (
    <>
      <span className="truncate">
        <Untrusted text={name} />
      </span>
      {/\d/.test(last) && !name.includes(last) && <span className="ms-auto text-faint">{last}</span>}
    </>
  );
}
