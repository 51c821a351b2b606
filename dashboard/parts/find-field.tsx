import { type ComponentProps, type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { TextInput } from './field';
import type { Search } from './place';
import { typedAhead } from './typed-ahead';

/** Something that was found. Its path is one of the router. */
export interface Hit {
  path: string;
  name: ReactNode;
  search?: Search;
  /** It was not found, but leads to another search. */
  further?: boolean;
}

/** A field with a list below it (w3.org/WAI/ARIA/apg/patterns/combobox): arrows move in the list, Enter chooses. */
export function FindField({
  text,
  onChange,
  label,
  hits,
  busy,
  onChoose,
  ...rest
}: Omit<ComponentProps<typeof TextInput>, 'onChange'> & {
  text: string;
  onChange: (text: string) => void;
  /** The name of the list. */
  label: string;
  hits: readonly Hit[];
  /** More hits are on their way. */
  busy: boolean;
  onChoose: (hit: Hit) => void;
}) {
  const list = useId();
  const { current, press, reset } = useHitKeys({ list, hits, busy, onChoose });
  return (
    <>
      <TextInput
        {...rest}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={hits.length > 0}
        aria-controls={list}
        aria-activedescendant={hits.length > 0 ? `${list}-${current}` : undefined}
        autoFocus
        value={text}
        onFocus={() => {
          const typed = typedAhead();
          if (typed !== '') {
            onChange(`${text}${typed}`);
          }
        }}
        onKeyDown={press}
        onChange={({ target }) => {
          onChange(target.value);
          reset();
        }}
      />
      {hits.length > 0 && <HitList {...{ id: list, label, hits, current, onChoose }} />}
    </>
  );
}

interface HitKeys {
  /** The id of the list. */
  list: string;
  hits: readonly Hit[];
  busy: boolean;
  onChoose: (hit: Hit) => void;
}

/** Arrows and Enter. Enter before there is a hit chooses the one that is found, if it is the only one. */
function useHitKeys({ list, hits, busy, onChoose }: HitKeys) {
  const [at, setAt] = useState(0);
  const current = Math.min(at, hits.length - 1);
  const [isAwaited, setAwaited] = useState(false);
  useEffect(() => {
    if (isAwaited && !busy) {
      setAwaited(false);
      const [only, another] = hits.filter(({ further }) => further !== true);
      if (only !== undefined && another === undefined) {
        onChoose(only);
      }
    }
  }, [isAwaited, busy, hits, onChoose]);
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && hits.length > 0) {
      event.preventDefault();
      const next = (current + step + hits.length) % hits.length;
      setAt(next);
      document.getElementById(`${list}-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      const hit = hits[current];
      hit === undefined ? setAwaited(busy) : onChoose(hit);
    }
  };
  const reset = () => {
    setAt(0);
    setAwaited(false);
  };
  return { current, press, reset };
}

function HitList({
  id,
  label,
  hits,
  current,
  onChoose,
}: {
  id: string;
  label: string;
  hits: readonly Hit[];
  current: number;
  onChoose: (hit: Hit) => void;
}) {
  return (
    <div className="mt-2">
      <p className="px-2 text-xs text-faint">{label}</p>
      <div id={id} role="listbox" aria-label={label} className="mt-0.5 max-h-[50vh] overflow-y-auto">
        {hits.map((hit, index) => (
          <button
            type="button"
            key={hit.path}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            onClick={() => onChoose(hit)}
            className="flex min-h-8 w-full min-w-0 items-center gap-2 rounded-md px-2 py-1 text-sm hover:bg-sunken aria-selected:bg-accent-soft"
          >
            {hit.name}
          </button>
        ))}
      </div>
    </div>
  );
}
