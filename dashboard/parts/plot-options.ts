import type { RefObject } from 'react';
import type uPlot from 'uplot';
import { logTicks } from './log-scale';
import type { Search } from './place';
import { axisMoment } from './time';

/** A line or a stack of bars over time. */
export interface Series {
  name: string;
  /** A colour of styles.css, such as `good`. */
  colour: string;
  values: readonly (number | null)[];
  /** The list of deliveries that this is about. */
  list?: Search | undefined;
}

export interface CanvasProps {
  data: uPlot.AlignedData;
  series: readonly Series[];
  shape: 'bars' | 'lines';
  /** @param at the place of the bucket; undefined on the axis */
  format: (value: number, at?: number) => string;
  /** A bar of a series was clicked. */
  onPick?: ((series: Series, at: number) => void) | undefined;
  onRange: ((since: Date, until: Date) => void) | undefined;
  onPoint: (at: number | undefined) => void;
}

export const HEIGHT = 184;
const PADDING_RIGHT = 8;
const AXIS_WIDTH = 56;
/** The room of a moment on the time axis: one that needs more is left out. */
const MOMENT_WIDTH = 64;

const isSparse = (values: ArrayLike<number | null | undefined>) =>
  Array.from(values).filter((value) => value != null).length < 3;

function colourOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** uPlot stacks nothing itself: each series of bars is drawn from 0 to the sum of itself and those before it. */
export function toData(
  times: readonly number[],
  series: readonly Series[],
  shape: 'bars' | 'lines',
): uPlot.AlignedData {
  const sums = times.map(() => 0);
  const columns = series.map(({ values }) =>
    values.map((value, at) => {
      if (shape === 'lines') {
        return value === null ? null : Math.max(1, value);
      }
      sums[at] = (sums[at] ?? 0) + (value ?? 0);
      return sums[at];
    }),
  );
  // The tallest sum is drawn first, so that the others stand before it.
  return [times.map((time) => time / 1_000), ...(shape === 'bars' ? columns.reverse() : columns)] as uPlot.AlignedData;
}

/** The labels of the axis of lines. Less than a millisecond is a millisecond: a logarithm knows no 0. */
function ticksOf([, ...lines]: uPlot.AlignedData): number[] {
  const values = lines.flatMap((line) => Array.from(line).filter((value) => value != null));
  return values.length === 0 ? [1, 10] : logTicks(Math.min(...values), Math.max(...values));
}

const endsOf = (ticks: number[]): [number, number] => [ticks[0] ?? 1, ticks.at(-1) ?? 10];

/** A moment on the time axis; '' where the edge of the chart would cut it. */
function wholeLabel(plot: uPlot, split: number, font: string): string {
  const { min = 0, max = 0 } = plot.scales['x'] ?? {};
  const label = axisMoment(split * 1_000, (max - min) * 1_000);
  plot.ctx.save();
  plot.ctx.font = font;
  const half = plot.ctx.measureText(label).width / 2;
  plot.ctx.restore();
  const at = plot.valToPos(split, 'x');
  const width = plot.bbox.width / devicePixelRatio;
  return at + half > width + PADDING_RIGHT || at - half < -AXIS_WIDTH ? '' : label;
}

/** Calls `onPick` with the part of a stack that is clicked. uPlot keeps the end of a drag from being a click. */
function watchClicks(plot: uPlot, latest: RefObject<CanvasProps>): void {
  plot.over.addEventListener('click', () => {
    const { series, onPick } = latest.current;
    const { idx: at, top = -1 } = plot.cursor;
    if (onPick === undefined || at == null || top < 0) {
      return;
    }
    let left = plot.posToVal(top, 'y');
    const picked = series.find(({ values }) => {
      left -= values[at] ?? 0;
      return left <= 0;
    });
    if (picked !== undefined && (picked.values[at] ?? 0) > 0) {
      onPick(picked, at);
    }
  });
}

function seriesOf(Plot: typeof uPlot, { series, shape }: CanvasProps): uPlot.Series[] {
  const ordered = shape === 'bars' ? [...series].reverse() : series;
  return ordered.map(
    ({ name, colour }): uPlot.Series => ({
      label: name,
      stroke: colourOf(colour),
      width: shape === 'bars' ? 0 : 1.5,
      ...(shape === 'bars'
        ? {
            fill: colourOf(colour),
            paths: Plot.paths.bars?.({ size: [0.82, 24], gap: 1 }) as uPlot.Series.PathBuilder,
          }
        : { spanGaps: true }),
      // A line has nothing between its points to draw where there are one or two of them.
      points: { show: (plot, at) => shape === 'lines' && isSparse(plot.data[at] ?? []) },
    }),
  );
}

function axesOf(element: HTMLElement, latest: RefObject<CanvasProps>): uPlot.Axis[] {
  const { shape } = latest.current;
  const font = `11px ${getComputedStyle(element).fontFamily}`;
  const axis = { stroke: colourOf('faint'), font, ticks: { show: false } };
  return [
    {
      ...axis,
      size: 26,
      grid: { show: false },
      values: (plot, splits) => splits.map((split) => wholeLabel(plot, split, font)),
      space: MOMENT_WIDTH,
    },
    {
      ...axis,
      size: AXIS_WIDTH,
      space: 36,
      grid: { stroke: colourOf('line'), width: 1 },
      ...(shape === 'lines' && { splits: ({ data }) => ticksOf(data), filter: (_plot, splits) => splits }),
      // Bars count: there is no half of an attempt.
      values: (_plot, splits) =>
        splits.map((split) => (shape === 'bars' && !Number.isInteger(split) ? '' : latest.current.format(split))),
    },
  ];
}

/** Calls `onRange` with what is dragged over. */
function takeRange(plot: uPlot, { onRange }: CanvasProps): void {
  const { left, width } = plot.select;
  if (width > 4) {
    const momentAt = (px: number) => new Date(plot.posToVal(px, 'x') * 1_000);
    onRange?.(momentAt(left), momentAt(left + width));
    plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  }
}

/** @param latest read again at each event */
export function options(Plot: typeof uPlot, element: HTMLElement, latest: RefObject<CanvasProps>): uPlot.Options {
  const { shape } = latest.current;
  return {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [10, PADDING_RIGHT, 0, 0],
    cursor: { drag: { x: true, y: false, setScale: false }, points: { show: shape === 'lines' } },
    legend: { show: false },
    scales: {
      // Bars stand on their moment: the first and the last one need half of their width beside it.
      x: {
        range: ({ data: [[first = 0, second = first]] }, least, most) => {
          const margin = shape === 'bars' ? (second - first) / 2 : 0;
          return [least - margin, most + margin];
        },
      },
      y:
        shape === 'bars'
          ? { range: (_plot, _least, most) => [0, Math.max(1, most * 1.08)] }
          : { distr: 3, range: ({ data }) => endsOf(ticksOf(data)) },
    },
    axes: axesOf(element, latest),
    series: [{}, ...seriesOf(Plot, latest.current)],
    hooks: {
      ready: [(plot) => watchClicks(plot, latest)],
      setCursor: [({ cursor: { idx } }) => latest.current.onPoint(idx ?? undefined)],
      setSelect: [(plot) => takeRange(plot, latest.current)],
    },
  };
}
