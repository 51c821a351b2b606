import { Popover } from '@base-ui/react/popover';
import { Trans, useLingui } from '@lingui/react/macro';
import { ChevronRight, ListFilter, X } from 'lucide-react';
import { memo, useState } from 'react';
import { useQuery } from 'urql';
import { Button, buttonLook } from '../../../parts/button';
import { useShortcut } from '../../../parts/keyboard';
import { Untrusted } from '../../../parts/untrusted';
import { useAllowed } from '../../../parts/viewer';
import { FILTER_CHOICES } from '../documents';
import { FilterEditor } from './filter-editor';
import { type Chip, FILTER_NAMES, useChips } from './filter-names';
import { type FilterName, type Filters, VIEWS } from './filters';

/** The filters of the menu, in its order. */
const OFFERED = ['status', 'endpoint', 'type', 'range', 'class', 'error', 'text', 'key', 'event'] as const;

/** The filters of the list, as chips, and a menu that sets another one. The views above have no chip. */
export const FilterBar = memo(function FilterBar({
  filters,
  onChange,
}: {
  filters: Filters;
  onChange: (change: Filters) => void;
}) {
  const { t } = useLingui();
  const mayReadPayloads = useAllowed('events:read');
  const [{ data: choices }] = useQuery({ query: FILTER_CHOICES });
  const [open, setOpen] = useState<'menu' | FilterName>();
  const isView = (VIEWS as readonly unknown[]).includes(filters.status);
  const chips = useChips(filters, choices).filter(({ filter }) => filter !== 'status' || !isView);
  useShortcut('/', t`Search payloads`, mayReadPayloads ? () => setOpen('text') : undefined);
  useShortcut('f', t`Filter`, () => setOpen('menu'));
  const clear = (names: readonly FilterName[]) => onChange(Object.fromEntries(names.map((name) => [name, undefined])));
  return (
    <div className="mb-3 flex flex-wrap items-center gap-1.5">
      <Popover.Root open={open !== undefined} onOpenChange={(next) => setOpen(next ? 'menu' : undefined)}>
        <Popover.Trigger className={buttonLook('plain')}>
          <ListFilter aria-hidden />
          <Trans>Filter</Trans>
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Positioner sideOffset={6} align="start" className="z-20">
            <Popover.Popup
              aria-label={t`Filter`}
              className="w-72 max-w-[calc(100vw-1.5rem)] rounded-lg border border-line bg-raised p-1 shadow-xl"
            >
              {open === 'menu' || open === undefined ? (
                <FilterMenu onChoose={setOpen} />
              ) : (
                <FilterEditor
                  key={open}
                  filter={open}
                  filters={filters}
                  choices={choices}
                  onDone={(change) => {
                    onChange(change);
                    setOpen(undefined);
                  }}
                />
              )}
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
      {chips.map((chip) => (
        <FilterChip
          key={chip.filter}
          {...chip}
          onEdit={() => setOpen(chip.filter === 'until' ? 'range' : chip.filter)}
          onRemove={() => clear(chip.names)}
        />
      ))}
      {chips.length > 1 && (
        <Button look="quiet" onClick={() => clear(chips.flatMap(({ names }) => names))}>
          <Trans>Clear filters</Trans>
        </Button>
      )}
    </div>
  );
});

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

/** A filter that is set: a click on it changes it. */
function FilterChip({ filter, value, onEdit, onRemove }: Chip & { onEdit: () => void; onRemove: () => void }) {
  const { t, i18n } = useLingui();
  const name = i18n._(FILTER_NAMES[filter]);
  return (
    <span className="inline-flex h-7.5 max-w-full items-center rounded-md border border-line bg-surface text-sm">
      <button type="button" onClick={onEdit} className="flex min-w-0 items-center gap-1.5 ps-2.5 pe-1">
        <span className="shrink-0 text-soft">{name}</span>
        <span className="truncate font-medium">
          <Untrusted text={value} />
        </span>
      </button>
      <button
        type="button"
        aria-label={t`Remove filter: ${name}`}
        onClick={onRemove}
        className="flex h-full items-center px-1.5 text-faint hover:text-ink"
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </span>
  );
}
