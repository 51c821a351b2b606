import { Trans, useLingui } from '@lingui/react/macro';
import { ListFilter, X } from 'lucide-react';
import { memo, useRef, useState } from 'react';
import { useQuery } from 'urql';
import { Button } from '../../../parts/button';
import { useShortcut } from '../../../parts/keyboard';
import { Untrusted } from '../../../parts/untrusted';
import { useAllowed } from '../../../parts/viewer';
import { whenWanted } from '../../../parts/when-wanted';
import { FILTER_CHOICES } from '../documents';
import { type Chip, FILTER_NAMES, useChips } from './filter-names';
import type { FilterPopupProps } from './filter-popup';
import { type FilterName, type Filters, VIEWS } from './filters';

const FilterPopup = whenWanted<FilterPopupProps>(() => import('./filter-popup'));

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
  const anchor = useRef<HTMLSpanElement>(null);
  const isView = (VIEWS as readonly unknown[]).includes(filters.status);
  const chips = useChips(filters, choices).filter(({ filter }) => filter !== 'status' || !isView);
  useShortcut('/', t`Search payloads`, mayReadPayloads ? () => setOpen('text') : undefined);
  useShortcut('f', t`Filter`, () => setOpen('menu'));
  const clear = (names: readonly FilterName[]) => onChange(Object.fromEntries(names.map((name) => [name, undefined])));
  return (
    <div className="mb-3 flex flex-wrap items-center gap-1.5">
      <span ref={anchor}>
        <Button
          icon={<ListFilter aria-hidden />}
          aria-haspopup="dialog"
          aria-expanded={open !== undefined}
          onClick={() => setOpen(open === undefined ? 'menu' : undefined)}
        >
          <Trans>Filter</Trans>
        </Button>
      </span>
      <FilterPopup
        wanted={open !== undefined}
        open={open}
        onOpen={setOpen}
        anchor={anchor}
        filters={filters}
        choices={choices}
        onDone={(change) => {
          onChange(change);
          setOpen(undefined);
        }}
      />
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
