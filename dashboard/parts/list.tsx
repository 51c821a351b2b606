import { Trans, useLingui } from '@lingui/react/macro';
import { type ComponentProps, memo, type ReactNode, useRef, useState } from 'react';
import { Button } from './button';
import { useRowKeys } from './keyboard';
import { useStable } from './use-stable';

/** A column of a list. */
export interface Column<Row> {
  /** The column's heading; a column that is `bare` has it for screen readers only. */
  name: string;
  bare?: boolean;
  render: (row: Row) => ReactNode;
  /** Figures are at the end, so that their digits line up. */
  figures?: boolean;
  /** Takes the room that is left, and ends in an ellipsis, or `wraps`. */
  wide?: boolean | 'wraps';
  /** From which width on a table shows it. A card shows it too. */
  from?: 'sm' | 'md' | 'lg' | '2xl';
  /**
   * Its place in the card that a row is on a phone. Default: the first column is the title, a column that is `wide` has
   * a line of its own, one that is `bare` is in the corner, and others follow one another with their names.
   * `unnamed`: among them, without its name. `none`: nowhere, because the title says it.
   */
  card?: 'title' | 'corner' | 'line' | 'unnamed' | 'none';
  /** The order that its heading chooses (`Sort`). */
  sort?: string;
}

/** The order of a list, whose headings choose another one. */
export interface Sort {
  by: string;
  onSort: (by: string) => void;
}

interface ListProps<Row> {
  /** The list's name, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Opens a row: Enter, or a click beside its links. */
  onOpen?: (row: Row) => void;
  /** What is shown in place of a list without rows. */
  empty?: ReactNode;
  /** What follows the rows: `More`. */
  more?: ReactNode;
  sort?: Sort;
}

/** The heights of a row, and of its card where all are equally high, in px: `h-7.5` below, and `list.css`. */
export const ROW_PX = 30;
export const CARD_PX = 92;
/** Widths at which rows are cards. */
export const CARDS = '(width < 30rem)';

const SHOWN = { sm: 'max-sm:hidden', md: 'max-md:hidden', lg: 'max-lg:hidden', '2xl': 'max-2xl:hidden' } as const;

function placeInCard(column: Column<unknown>, columns: readonly Column<unknown>[]): string {
  const hasTitle = columns.some(({ card }) => card === 'title');
  const usual = column.wide ? 'line' : column.bare ? 'corner' : 'named';
  return column.card ?? (!hasTitle && column === columns[0] ? 'title' : usual);
}

/** What a cell shows that has no value, or nothing to count. A card leaves it out. */
export const NoValue = ({ children = '–' }: { children?: ReactNode }) => (
  <span data-nothing className="text-faint">
    {children}
  </span>
);

/** A table of objects: `j` and `k` move, Enter opens. Rows that do not change do not render again. */
export function List<Row>({ label, columns, rows, keyOf, onOpen, empty, more, sort }: ListProps<Row>) {
  const [current, setCurrent] = useState<string>();
  const body = useRef<HTMLTableSectionElement>(null);
  const at = rows.findIndex((row) => keyOf(row) === current);
  const step = (by: number) => {
    const to = Math.min(rows.length - 1, Math.max(0, at + by));
    const next = rows[to];
    if (next !== undefined) {
      setCurrent(keyOf(next));
      body.current?.rows[to]?.scrollIntoView({ block: 'nearest' });
    }
  };
  const currentRow = rows[at];
  useRowKeys(step, currentRow && onOpen && (() => onOpen(currentRow)));
  if (rows.length === 0 && empty !== undefined) {
    return empty;
  }
  return (
    <>
      <table aria-label={label} className="list w-full border-collapse text-sm">
        <thead className="max-cards:sr-only">
          <tr className="border-b border-line text-start text-xs text-soft">
            {columns.map((column) => (
              <Heading key={column.name} column={column as Column<unknown>} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row) => (
            <RowView
              key={keyOf(row)}
              row={row}
              rowKey={keyOf(row)}
              columns={columns as readonly Column<unknown>[]}
              current={keyOf(row) === current}
              onOpen={onOpen as ((row: unknown) => void) | undefined}
            />
          ))}
        </tbody>
      </table>
      {more}
    </>
  );
}

export function Heading({ column, sort }: { column: Column<unknown>; sort?: Sort | undefined }) {
  const { name, bare, figures, wide, from, sort: order } = column;
  const isSorted = order !== undefined && sort?.by === order;
  return (
    <th
      scope="col"
      data-wide={wide ? '' : undefined}
      aria-sort={isSorted ? 'descending' : undefined}
      className={`h-8 truncate px-2 font-medium whitespace-nowrap first:ps-3.5 last:pe-3.5 ${figures ? 'text-end' : 'text-start'} ${from ? SHOWN[from] : ''}`}
    >
      {order !== undefined && sort !== undefined ? (
        <button
          type="button"
          onClick={() => sort.onSort(order)}
          className={`rounded-xs hover:text-ink ${isSorted ? 'text-ink' : ''}`}
        >
          {isSorted && <span aria-hidden>↓ </span>}
          {name}
        </button>
      ) : (
        <span className={bare ? 'sr-only' : ''}>{name}</span>
      )}
    </th>
  );
}

interface RowProps {
  row: unknown;
  rowKey: string;
  columns: readonly Column<unknown>[];
  current: boolean;
  /** Undefined, as `onToggle`, where rows cannot be chosen. */
  chosen?: boolean | undefined;
  onToggle?: (() => void) | undefined;
  onOpen: ((row: unknown) => void) | undefined;
}

export const RowView = memo(
  function RowView({ row, rowKey, columns, current, chosen, onToggle, onOpen }: RowProps) {
    const { t } = useLingui();
    return (
      // Keyboards open a row by its link, or by j, k and Enter: the click is a convenience of the pointer.
      <tr
        data-current={current ? '' : undefined}
        aria-selected={onToggle === undefined ? undefined : Boolean(chosen)}
        onClick={({ target }) => {
          if (
            !(target instanceof Element && target.closest('a, button, input, label')) &&
            !getSelection()?.toString()
          ) {
            onOpen?.(row);
          }
        }}
        className={`group h-7.5 border-b border-line last:border-b-0 ${onOpen ? 'cursor-pointer' : ''} ${
          chosen ? 'bg-accent-soft' : 'hover:bg-sunken'
        } ${current ? 'outline-2 -outline-offset-2 outline-accent' : ''}`}
      >
        {onToggle !== undefined && (
          <td className="w-8 ps-3.5">
            <Checkbox label={t`Select ${rowKey}`} checked={Boolean(chosen)} onChange={onToggle} />
          </td>
        )}
        {columns.map((column) => (
          <td
            key={column.name}
            data-name={column.name}
            data-card={placeInCard(column, columns)}
            className={`px-2 py-0.5 first:ps-3.5 last:pe-3.5 ${column.figures ? 'figures text-end whitespace-nowrap' : ''} ${
              column.wide === 'wraps'
                ? 'w-full min-w-56 whitespace-normal'
                : column.wide
                  ? 'w-full max-w-0 truncate'
                  : 'whitespace-nowrap'
            } ${column.from ? SHOWN[column.from] : ''}`}
          >
            {column.render(row)}
          </td>
        ))}
      </tr>
    );
  },
  // Each render of the list makes new handlers, but they do the same for the same row.
  (before, after) =>
    before.row === after.row &&
    before.columns === after.columns &&
    before.current === after.current &&
    before.chosen === after.chosen,
);

/** The box in which a row, or all, are chosen. A finger has more room than it shows. */
export function Checkbox({ label, children, ...input }: ComponentProps<'input'> & { label: string }) {
  return (
    <label className="flex items-center gap-2 max-cards:-mx-3 max-cards:-my-2.5 max-cards:min-h-11 max-cards:min-w-11 max-cards:px-3">
      <input
        type="checkbox"
        aria-label={label}
        {...input}
        className="block size-3.5 accent-accent max-cards:size-4.5"
      />
      {children}
    </label>
  );
}

/**
 * The cursor that the last page of a list is asked for with; null for the first page.
 *
 * @param filter with another one the list begins at its first page
 */
export function usePage(filter?: unknown): [after: string | null, setAfter: (after: string | null) => void] {
  const current = useStable(filter);
  const [page, setPage] = useState<{ filter: unknown; after: string | null }>();
  return [page?.filter === current ? (page?.after ?? null) : null, (after) => setPage({ filter: current, after })];
}

/** The end of a list: how many rows are shown, and the way to the next page. */
export function More({
  shown,
  page: { hasNextPage, endCursor },
  onMore,
  busy,
}: {
  shown: number;
  page: { hasNextPage: boolean; endCursor?: string | null };
  onMore: (after: string) => void;
  busy: boolean;
}) {
  return (
    <div className="flex min-h-10 items-center justify-between gap-2 border-t border-line px-3.5 py-1.5 text-xs text-soft">
      <span className="figures">
        {hasNextPage ? <Trans>Showing the first {shown}.</Trans> : <Trans>{shown} in total.</Trans>}
      </span>
      {hasNextPage && endCursor != null && (
        <Button onClick={() => onMore(endCursor)} disabled={busy}>
          <Trans>Show more</Trans>
        </Button>
      )}
    </div>
  );
}
