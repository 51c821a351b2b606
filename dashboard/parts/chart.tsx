import { type RefObject, useEffect, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { laterScript } from '../api/scripts';
import { absolute, shortly } from './time';

/** A line or a stack of bars over time. */
export interface Series {
  name: string;
  /** A colour of styles.css, such as `good`. */
  colour: string;
  values: readonly (number | null)[];
}

/**
 * A chart over time. Its figures stand in a table for readers; hovering shows those of a moment. Dragging chooses a
 * range where `onRange` is given.
 *
 * @param times the beginnings of the buckets, in ms since 1970.
 * @param shape `bars` are stacked in the order of `series`.
 */
export function Chart({
  label,
  times,
  series,
  shape,
  format,
  onRange,
}: {
  label: string;
  times: readonly number[];
  series: readonly Series[];
  shape: 'bars' | 'lines';
  format: (value: number) => string;
  onRange?: (since: Date, until: Date) => void;
}) {
  const [pointed, setPointed] = useState<number>();
  return (
    <figure className="m-0">
      <Legend times={times} series={series} format={format} at={pointed} />
      <Canvas
        key={`${shape} ${series.map(({ name }) => name).join()}`}
        data={toData(times, series, shape)}
        series={series}
        shape={shape}
        format={format}
        onRange={onRange}
        onPoint={setPointed}
      />
      <figcaption className="sr-only">
        {label}
        <table>
          <thead>
            <tr>
              <td />
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times.map((time, at) => (
              <tr key={time}>
                <th scope="row">{absolute(time)}</th>
                {series.map(({ name, values }) => (
                  <td key={name}>{values[at] == null ? '–' : format(values[at])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </figcaption>
    </figure>
  );
}

interface CanvasProps {
  data: uPlot.AlignedData;
  series: readonly Series[];
  shape: 'bars' | 'lines';
  format: (value: number) => string;
  onRange: ((since: Date, until: Date) => void) | undefined;
  onPoint: (at: number | undefined) => void;
}

/** The picture. Its names and colours are those of its first render; figures change. */
function Canvas(props: CanvasProps) {
  const box = useRef<HTMLDivElement>(null);
  const Plot = useLibrary();
  const plot = useRef<uPlot>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const { data } = props;

  useEffect(() => {
    const element = box.current;
    if (element === null || Plot === undefined) {
      return;
    }
    const make = () => {
      plot.current?.destroy();
      plot.current = new Plot(options(Plot, element, latest), latest.current.data, element);
    };
    make();
    const sizes = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }));
    sizes.observe(element);
    const themes = new MutationObserver(make);
    themes.observe(document.documentElement, { attributeFilter: ['data-theme', 'style'] });
    return () => {
      sizes.disconnect();
      themes.disconnect();
      plot.current?.destroy();
    };
  }, [Plot]);

  useEffect(() => plot.current?.setData(data), [data]);

  return <div ref={box} className="h-[184px] w-full" aria-hidden />;
}

/** The legend, with the figures at the pointer. */
function Legend({
  times,
  series,
  format,
  at,
}: {
  times: readonly number[];
  series: readonly Series[];
  format: (value: number) => string;
  at: number | undefined;
}) {
  const time = at === undefined ? undefined : times[at];
  return (
    <div aria-hidden className="figures flex flex-wrap justify-between gap-x-4 px-1 text-xs text-soft">
      <ul className="flex flex-wrap gap-x-4">
        {series.map(({ name, colour, values }) => {
          const value = at === undefined ? undefined : values[at];
          return (
            <li key={name} className="inline-flex items-center gap-1.5">
              <span className="size-2 rounded-xs" style={{ background: `var(--${colour})` }} />
              {name}
              {value != null && <span className="text-ink">{format(value)}</span>}
            </li>
          );
        })}
      </ul>
      {time !== undefined && <span>{absolute(time)}</span>}
    </div>
  );
}

const HEIGHT = 184;

const isSparse = (values: ArrayLike<number | null | undefined>) =>
  Array.from(values).filter((value) => value != null).length < 3;

function colourOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

const loadUplot = laterScript(() => import('uplot'));

/** Comes when the first chart is shown, into room that is kept for it: a first screen does not wait for it. */
function useLibrary(): typeof uPlot | undefined {
  const [library, setLibrary] = useState<{ Plot: typeof uPlot }>();
  useEffect(() => {
    loadUplot().then(
      ({ default: Plot }) => setLibrary({ Plot }),
      () => {}, // the figures stand beside the chart
    );
  }, []);
  return library?.Plot;
}

/** uPlot stacks nothing itself: each series of bars is drawn from 0 to the sum of itself and those before it. */
function toData(times: readonly number[], series: readonly Series[], shape: 'bars' | 'lines'): uPlot.AlignedData {
  const sums = times.map(() => 0);
  const columns = series.map(({ values }) =>
    values.map((value, at) => {
      if (shape === 'lines') {
        return value;
      }
      sums[at] = (sums[at] ?? 0) + (value ?? 0);
      return sums[at];
    }),
  );
  // The tallest sum is drawn first, so that the others stand before it.
  return [times.map((time) => time / 1_000), ...(shape === 'bars' ? columns.reverse() : columns)] as uPlot.AlignedData;
}

/** @param latest read again at each event */
function options(Plot: typeof uPlot, element: HTMLElement, latest: RefObject<CanvasProps>): uPlot.Options {
  const { series, shape } = latest.current;
  const font = `11px ${getComputedStyle(element).fontFamily}`;
  const axis = { stroke: colourOf('faint'), font, ticks: { show: false } };
  const ordered = shape === 'bars' ? [...series].reverse() : series;
  return {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [10, 8, 0, 0],
    cursor: { drag: { x: true, y: false, setScale: false }, points: { show: shape === 'lines' } },
    legend: { show: false },
    scales: {
      // Bars stand on their moment: the first and the last one need half of their width beside it.
      x: {
        range: ({ data: [[first = 0, second = first]] }, least, most) => {
          const beside = shape === 'bars' ? (second - first) / 2 : 0;
          return [least - beside, most + beside];
        },
      },
      y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.08)] },
    },
    axes: [
      {
        ...axis,
        size: 26,
        grid: { show: false },
        values: (_plot, splits) => splits.map((split) => shortly(split * 1_000)),
        space: 110,
      },
      {
        ...axis,
        size: 56,
        space: 36,
        grid: { stroke: colourOf('line'), width: 1 },
        // Bars count: there is no half of an attempt.
        values: (_plot, splits) =>
          splits.map((split) => (shape === 'bars' && !Number.isInteger(split) ? '' : latest.current.format(split))),
      },
    ],
    series: [
      {},
      ...ordered.map(
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
      ),
    ],
    hooks: {
      setCursor: [({ cursor: { idx } }) => latest.current.onPoint(idx ?? undefined)],
      setSelect: [
        (plot) => {
          if (plot.select.width > 4) {
            latest.current.onRange?.(
              new Date(plot.posToVal(plot.select.left, 'x') * 1_000),
              new Date(plot.posToVal(plot.select.left + plot.select.width, 'x') * 1_000),
            );
            plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          }
        },
      ],
    },
  };
}
