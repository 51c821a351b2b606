import { Trans, useLingui } from '@lingui/react/macro';
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useRowKeys, useShortcut } from './keyboard';
import { CARD_PX, CARDS, Checkbox, type Column, Heading, ROW_PX, RowView } from './list';
import { useLooking } from './looking';
import { useMedia } from './media';
import { useRowWindow } from './row-window';

/** The rows that are chosen, by their keys, and how a person changes that. */
export interface Choice<Row> {
  keys: ReadonlyMap<string, unknown>;
  toggle: (row: Row) => void;
  /** Chooses many rows, or none where some are chosen. */
  toggleAll: () => void;
}

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
  /** The keys have gone to a row, or to none. */
  onGo?: (index: number | undefined) => void;
  /** Undefined where rows cannot be chosen. */
  choice: Choice<Row> | undefined;
  /** Which rows are seen now. */
  onShow: (first: number, last: number) => void;
  /** Whether somebody is looking at rows: the pointer is among them, one was gone to by keys, or the list is scrolled. */
  onLook: (looks: boolean) => void;
  /** Whether more rows follow than are counted. */
  more: boolean;
  /** A header over the first rows. The pointer on it counts as on the rows. @param toStart goes back to the first row */
  header: (toStart: () => void) => ReactNode;
}

/** A list in a box of its own that scrolls: only the rows that are seen are in the page, however many there are. */
export function VirtualList<Row>(props: VirtualListProps<Row>) {
  const { label, columns, count, rowAt, keyOf, choice, onShow, onLook, more, header } = props;
  const box = useRef<HTMLDivElement>(null);
  const rowPx = useMedia(CARDS) ? CARD_PX : ROW_PX;
  const [from, to, show] = useRowWindow(box, count, rowPx);
  const looking = useRef({ pointer: false, scrolled: false, keys: false });
  const look = (change: Partial<typeof looking.current>) => {
    Object.assign(looking.current, change);
    onLook(Object.values(looking.current).includes(true));
  };
  const [current, goTo] = useCurrentRow(props, (row) => {
    look({ keys: row !== undefined });
    props.onGo?.(row);
    if (row !== undefined) {
      show(row);
    }
  });
  const [pointer, lookAway] = useLooking((looks) => look({ pointer: looks }));
  useSteadyWidths(box, rowPx === ROW_PX);
  useEffect(() => onShow(from, Math.max(from, to - 1)));
  useLayoutEffect(() => {
    // Places are set past React: a row at the top moves all others, which need not be rendered for that.
    const shown = box.current?.querySelectorAll('tbody > tr:not([aria-hidden])') ?? [];
    for (const [at, row] of shown.entries()) {
      row.setAttribute('aria-rowindex', String(from + at + 2));
    }
  });
  return (
    <div className="relative" {...pointer}>
      <div
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls takes the focus, so that keys can scroll it
        tabIndex={0}
        onScroll={({ currentTarget }) => look({ scrolled: currentTarget.scrollTop > 0 })}
        className="relative max-h-[clamp(20rem,calc(100dvh-21.25rem),60rem)] max-cards:max-h-[max(20rem,calc(100dvh-9rem))] overflow-x-hidden overflow-y-auto [overflow-anchor:none]"
      >
        <table
          aria-label={label}
          aria-rowcount={more ? -1 : count + 1}
          className="list list-even w-full border-collapse text-sm"
        >
          <Head columns={columns} choice={choice} />
          <tbody>
            <Gap px={from * rowPx} />
            {Array.from({ length: to - from }, (_, at) => {
              const index = from + at;
              const row = rowAt(index);
              return row === undefined ? (
                <Reading key={index} columns={columns.length} />
              ) : (
                <RowView
                  key={keyOf(row)}
                  row={row}
                  rowKey={keyOf(row)}
                  columns={columns as readonly Column<unknown>[]}
                  current={index === current}
                  chosen={choice?.keys.has(keyOf(row))}
                  onToggle={choice && (() => choice.toggle(row))}
                  onOpen={props.onOpen as (row: unknown) => void}
                />
              );
            })}
            <Gap px={(count - to) * rowPx} />
          </tbody>
        </table>
      </div>
      {header(() => {
        goTo(undefined);
        lookAway();
        box.current?.scrollTo({ top: 0 });
      })}
    </div>
  );
}

/**
 * Keeps each column as wide as its longest text was so far: rows that are scrolled in do not move the others. What is
 * left is for the column that is `wide`.
 *
 * @param isTable false where rows are cards
 */
function useSteadyWidths(box: RefObject<HTMLDivElement | null>, isTable: boolean): void {
  const known = useRef({ box: 0, widths: new Map<string, number>() });
  useLayoutEffect(() => {
    const { clientWidth = 0 } = box.current ?? {};
    const heads = [...(box.current?.querySelectorAll<HTMLElement>('th') ?? [])];
    if (!isTable || clientWidth !== known.current.box) {
      known.current = { box: clientWidth, widths: new Map() };
      for (const head of heads) {
        head.style.width = '';
      }
    }
    for (const head of isTable ? heads.filter(({ dataset }) => dataset['wide'] === undefined) : []) {
      const [name, width] = [head.textContent, head.offsetWidth];
      if (width > (known.current.widths.get(name) ?? 0)) {
        known.current.widths.set(name, width);
        head.style.width = `${width}px`;
      }
    }
  });
}

/** The row that the keys have gone to. @param onGo is called with a row's place; undefined: with none */
function useCurrentRow<Row>(
  { count, rowAt, onOpen, choice }: VirtualListProps<Row>,
  onGo: (to: number | undefined) => void,
): [current: number | undefined, goTo: (to: number | undefined) => void] {
  const { t } = useLingui();
  const [current, setCurrent] = useState<number>();
  const row = current === undefined ? undefined : rowAt(current);
  const goTo = (to: number | undefined) => {
    setCurrent(to);
    onGo(to);
  };
  const step = (by: number) => goTo(Math.min(count - 1, Math.max(0, (current ?? -1) + by)));
  useRowKeys(count > 0 ? step : undefined, row && (() => onOpen(row)));
  useShortcut('Escape', t`Leave the rows`, current === undefined ? undefined : () => goTo(undefined));
  useShortcut('x', t`Select the row`, row && choice && (() => choice.toggle(row)));
  return [current, goTo];
}

function Head<Row>({ columns, choice }: Pick<VirtualListProps<Row>, 'columns' | 'choice'>) {
  const { t } = useLingui();
  return (
    <thead
      className={`sticky top-0 z-1 bg-surface shadow-[0_1px_0_var(--line)] ${choice ? 'max-cards:block' : 'max-cards:sr-only'}`}
    >
      <tr aria-rowindex={1} className="text-start text-xs text-soft max-cards:*:not-first:sr-only">
        {choice !== undefined && (
          <th scope="col" className="w-8 ps-3.5">
            <Checkbox
              label={t`Select the first rows, or none`}
              ref={(input) => {
                if (input !== null) {
                  input.indeterminate = choice.keys.size > 0;
                }
              }}
              checked={false}
              onChange={choice.toggleAll}
            >
              <span className="cards:hidden">
                <Trans>Select</Trans>
              </span>
            </Checkbox>
          </th>
        )}
        {columns.map((column) => (
          <Heading key={column.name} column={column as Column<unknown>} />
        ))}
      </tr>
    </thead>
  );
}

/** The place of a row that is being read. */
function Reading({ columns }: { columns: number }) {
  return (
    <tr className="h-7.5 border-b border-line">
      <td colSpan={columns + 1} data-card="line" className="px-3.5">
        <span className="block h-2 w-2/3 rounded-full bg-sunken" />
      </td>
    </tr>
  );
}

/** The room of rows that are not in the page. */
function Gap({ px }: { px: number }) {
  return px > 0 && <tr aria-hidden style={{ height: px }} />;
}
