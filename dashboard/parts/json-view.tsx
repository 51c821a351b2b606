import { Trans, useLingui } from '@lingui/react/macro';
import { ChevronRight } from 'lucide-react';
import { useMemo, useState } from 'react';
import { bytes, count } from '../text/numbers';
import { Button } from './button';
import { Code } from './code';
import { Segments } from './segments';
import { Untrusted } from './untrusted';

/** How many members of an object or list are shown at first, and more at each "more". */
const MEMBERS_SHOWN = 100;

/** How long an exact text is shown whole; longer ones end there, and the button copies all of it. */
const TEXT_SHOWN_MAX = 65_536;

/** Levels that are open at first. */
const LEVELS_OPEN = 2;

/**
 * A JSON text, as a tree and as its exact characters. Other texts are shown as text.
 *
 * @param text exactly as it was sent or received.
 * @param name what it is, for the copy button: "payload".
 */
export function JsonView({ text, name }: { text: string; name: string }) {
  const { t } = useLingui();
  const [view, setView] = useState<'tree' | 'text'>('tree');
  const parsed = useMemo(() => parse(text), [text]);
  const isTree = parsed !== undefined && typeof parsed.value === 'object' && parsed.value !== null;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center justify-between gap-2 text-xs text-soft">
        <span className="figures">{bytes(new TextEncoder().encode(text).length)}</span>
        {isTree && (
          <Segments
            label={t`View`}
            value={view}
            onChange={setView}
            options={[
              { value: 'tree', name: t`Tree` },
              { value: 'text', name: t`Exact text` },
            ]}
          />
        )}
      </div>
      {isTree && view === 'tree' ? (
        <div className="max-h-96 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-xs leading-relaxed">
          <Value value={parsed.value} level={0} />
        </div>
      ) : (
        <ExactText text={text} name={name} />
      )}
    </div>
  );
}

function ExactText({ text, name }: { text: string; name: string }) {
  if (text.length <= TEXT_SHOWN_MAX) {
    return <Code text={text} name={name} wrap />;
  }
  const left = text.length - TEXT_SHOWN_MAX;
  return (
    <>
      <Code text={text.slice(0, TEXT_SHOWN_MAX)} name={name} wrap />
      <p className="text-xs text-soft">
        <Trans>{count(left)} more characters are not shown.</Trans>
      </p>
    </>
  );
}

function Value({ value, level }: { value: unknown; level: number }) {
  if (typeof value === 'object' && value !== null) {
    return <Members value={value} level={level} />;
  }
  const look = typeof value === 'string' ? 'text-good' : typeof value === 'number' ? 'text-info' : 'text-accent';
  return (
    <span className={`${look} [overflow-wrap:anywhere]`}>
      <Untrusted text={JSON.stringify(value)} />
    </span>
  );
}

function Members({ value, level }: { value: object; level: number }) {
  const [open, setOpen] = useState(level < LEVELS_OPEN);
  const [shown, setShown] = useState(MEMBERS_SHOWN);
  const isList = Array.isArray(value);
  const members = Object.entries(value);
  const [start, end] = isList ? ['[', ']'] : ['{', '}'];
  if (members.length === 0) {
    return (
      <span>
        {start}
        {end}
      </span>
    );
  }
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="inline-flex items-center rounded-xs text-soft hover:text-ink"
      >
        <ChevronRight
          aria-hidden
          className={`size-3 transition-transform rtl:-scale-x-100 ${open ? 'rotate-90' : ''}`}
        />
        {start}
        {!open && (
          <span className="text-faint">
            {` ${count(members.length)} `}
            {end}
          </span>
        )}
      </button>
      {open && (
        <>
          <ul className="ms-1.5 border-s border-line ps-3.5">
            {members.slice(0, shown).map(([key, member]) => (
              <li key={key}>
                <span className={isList ? 'text-faint' : 'text-ink'}>
                  <Untrusted text={isList ? key : JSON.stringify(key)} />
                </span>
                <span className="text-faint">: </span>
                <Value value={member} level={level + 1} />
              </li>
            ))}
            {members.length > shown && (
              <li>
                <Button look="quiet" onClick={() => setShown(shown + MEMBERS_SHOWN)}>
                  <Trans>{count(members.length - shown)} more</Trans>
                </Button>
              </li>
            )}
          </ul>
          <span>{end}</span>
        </>
      )}
    </>
  );
}

/** The parsed value; undefined for a text that is not JSON. */
function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
