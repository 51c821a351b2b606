import { useLingui } from '@lingui/react/macro';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { leaveFocus, useShortcut } from './keyboard';
import { type Column, Heading, ROW_PX, RowView } from './list';

interface VirtualListProps<Row> {
  /** The list's name, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  /** How many rows there are. */
  count: number;
  /** Undefined for a row that is being read. */
  rowAt: (index: number) => Row | undefined;
  keyOf: (row: Row) => string;
  onOpen: (row: Row) => void;
  chosen?: ReadonlySet<string>;
  onToggle?: (row: Row) => void;
  /** Chooses many rows, or none where some are chosen. */
  toggleAll?: () => void;
  /** Which rows are seen now. */
  onShow: (first: number, last: number) => void;
  /** Whether somebody is looking at rows: the pointer is among them, one was gone to by keys, or the list is scrolled. */
  onLook: (looks: boolean) => void;
  /** Whether more rows follow than are counted. */
  more: boolean;
  /** Raised to go back to the first row. */
  toStart: number;
  /** A header over the first rows. The pointer on it counts as on the rows. */
  children?: ReactNode;
}

/** A list in a box of its own that scrolls: only the rows that are seen are in the page, however many there are. */
export function VirtualList<Row>(props: VirtualListProps<Row>) {
  const {
    label,
    columns,
    count,
    rowAt,
    keyOf,
    onOpen,
    chosen,
    onToggle,
    toggleAll,
    onShow,
    onLook,
    more,
    toStart,
    children,
  } = props;
  const { t } = useLingui();
  const began = performance.now();
  const box = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState<number>();
  const looking = useRef({ pointer: false, scrolled: false, keys: false });
  const rows = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const items = rows.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => onShow(first, last));
  useEffect(() => {
    if (toStart > 0 && box.current !== null) {
      box.current.scrollTop = 0;
      setCurrent(undefined);
    }
  }, [toStart]);
  useLayoutEffect(() => {
    // Places are set past React: a row at the top moves all others, which need not be rendered for that.
    const shown = box.current?.querySelectorAll('tbody > tr:not([aria-hidden])') ?? [];
    for (const [at, row] of shown.entries()) {
      row.setAttribute('aria-rowindex', String(first + at + 2));
    }
    // Observers get one entry: the browser itself would keep them all.
    performance.clearMeasures('rows rendered');
    performance.measure('rows rendered', { start: began });
  });
  const look = (change: Partial<typeof looking.current>) => {
    Object.assign(looking.current, change);
    onLook(Object.values(looking.current).includes(true));
  };
  const move = (to: number | undefined) => {
    setCurrent(to);
    look({ keys: to !== undefined });
    if (to !== undefined) {
      leaveFocus();
      rows.scrollToIndex(to);
    }
  };
  const step = (by: number) => move(Math.min(count - 1, Math.max(0, (current ?? -1) + by)));
  const currentRow = current === undefined ? undefined : rowAt(current);
  useShortcut('j', t`Next row`, count > 0 ? () => step(1) : undefined);
  useShortcut('k', t`Previous row`, count > 0 ? () => step(-1) : undefined);
  useShortcut('Escape', t`Leave the rows`, current === undefined ? undefined : () => move(undefined));
  useShortcut('Enter', t`Open the row`, currentRow && (() => onOpen(currentRow)));
  useShortcut('x', t`Choose the row`, currentRow && onToggle && (() => onToggle(currentRow)));
  const before = items[0]?.start ?? 0;
  const behind = rows.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div
      className="relative"
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && look({ pointer: true })}
      onPointerLeave={() => look({ pointer: false })}
    >
      <div
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls takes the focus, so that keys can scroll it
        tabIndex={0}
        onScroll={({ currentTarget }) => look({ scrolled: currentTarget.scrollTop > 0 })}
        className="relative max-h-[clamp(20rem,calc(100dvh-19rem),60rem)] overflow-x-hidden overflow-y-auto [overflow-anchor:none]"
      >
        <table
          aria-label={label}
          aria-rowcount={more ? -1 : count + 1}
          className="w-full table-fixed border-collapse text-sm"
        >
          <thead className="sticky top-0 z-1 bg-surface shadow-[0_1px_0_var(--line)]">
            <tr aria-rowindex={1} className="text-start text-xs text-soft">
              {onToggle !== undefined && (
                <th scope="col" className="w-8 ps-3.5">
                  <input
                    type="checkbox"
                    aria-label={t`Choose the first rows, or none`}
                    ref={(input) => {
                      if (input !== null) {
                        input.indeterminate = (chosen?.size ?? 0) > 0;
                      }
                    }}
                    checked={false}
                    onChange={toggleAll}
                    className="block size-3.5 accent-accent"
                  />
                </th>
              )}
              {columns.map((column) => (
                <Heading key={column.name} column={column as Column<unknown>} />
              ))}
            </tr>
          </thead>
          <tbody>
            {before > 0 && <tr aria-hidden style={{ height: before }} />}
            {items.map(({ index }) => {
              const row = rowAt(index);
              return row === undefined ? (
                <tr key={index} className="h-7.5 border-b border-line">
                  <td colSpan={columns.length + 1} className="px-3.5">
                    <span className="block h-2 w-2/3 rounded-full bg-sunken" />
                  </td>
                </tr>
              ) : (
                <RowView
                  key={keyOf(row)}
                  row={row}
                  rowKey={keyOf(row)}
                  columns={columns as readonly Column<unknown>[]}
                  current={index === current}
                  chosen={onToggle === undefined ? undefined : (chosen?.has(keyOf(row)) ?? false)}
                  onToggle={onToggle === undefined ? undefined : () => onToggle(row)}
                  onOpen={onOpen as (row: unknown) => void}
                />
              );
            })}
            {behind > 0 && <tr aria-hidden style={{ height: behind }} />}
          </tbody>
        </table>
      </div>
      {children}
    </div>
  );
}
