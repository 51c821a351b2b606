import { Popover } from '@base-ui/react/popover';
import { useLingui } from '@lingui/react/macro';
import { ChevronRight } from 'lucide-react';
import type { RefObject } from 'react';
import type { FilterChoicesQuery } from '../../../api/generated/graphql';
import { useAllowed } from '../../../parts/viewer';
import { FilterEditor } from './filter-editor';
import { FILTER_NAMES } from './filter-names';
import type { FilterName, Filters } from './filters';

/** The filters of the menu, in its order. */
const OFFERED = ['status', 'endpoint', 'type', 'range', 'class', 'error', 'text', 'key', 'event'] as const;

export interface FilterPopupProps {
  /** The menu of filters, or the one that is set. */
  open: 'menu' | FilterName | undefined;
  onOpen: (open: 'menu' | FilterName | undefined) => void;
  anchor: RefObject<HTMLElement | null>;
  filters: Filters;
  choices: FilterChoicesQuery | undefined;
  onDone: (change: Filters) => void;
}

/** Chooses a filter, and then its value. */
export default function FilterPopup({ open, onOpen, anchor, filters, choices, onDone }: FilterPopupProps) {
  const { t } = useLingui();
  return (
    <Popover.Root
      open={open !== undefined}
      // The button itself opens and closes.
      onOpenChange={(next, { event }) =>
        anchor.current?.contains(event.target as Node) || onOpen(next ? 'menu' : undefined)
      }
    >
      <Popover.Portal>
        <Popover.Positioner anchor={anchor} sideOffset={6} align="start" className="z-20">
          <Popover.Popup
            aria-label={t`Filter`}
            className="w-72 max-w-[calc(100vw-1.5rem)] rounded-lg border border-line bg-raised p-1 shadow-xl"
          >
            {open === 'menu' || open === undefined ? (
              <FilterMenu onChoose={onOpen} />
            ) : (
              <FilterEditor key={open} filter={open} filters={filters} choices={choices} onDone={onDone} />
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function FilterMenu({ onChoose }: { onChoose: (filter: FilterName) => void }) {
  const { i18n } = useLingui();
  const mayReadPayloads = useAllowed('events:read');
  return (
    <ul>
      {OFFERED.filter((name) => name !== 'text' || mayReadPayloads).map((name) => (
        <li key={name}>
          <button
            type="button"
            onClick={() => onChoose(name)}
            className="flex h-7 w-full items-center justify-between rounded-md px-2 text-sm hover:bg-sunken"
          >
            {i18n._(FILTER_NAMES[name])}
            <ChevronRight aria-hidden className="size-3.5 text-faint rtl:-scale-x-100" />
          </button>
        </li>
      ))}
    </ul>
  );
}
