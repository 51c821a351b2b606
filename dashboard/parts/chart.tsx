import { useEffect, useRef, useState } from 'react';
import 'uplot/dist/uPlot.min.css';
import type uPlot from 'uplot';
import { laterScript } from '../api/scripts';
import { Link } from './place';
import { type CanvasProps, HEIGHT, options, type Series, toData } from './plot-options';
import { absolute } from './time';

/** Figures that stand beside those of a chart, as texts. */
export interface Beside {
  name: string;
  texts: readonly (string | null)[];
}

const NONE: readonly Beside[] = [];

interface FiguresProps {
  times: readonly number[];
  series: readonly Series[];
  beside: readonly Beside[];
  format: CanvasProps['format'];
}

/**
 * A chart over time. Its figures are in a table for readers; hovering shows those of a moment. Dragging chooses a
 * range where `onRange` is given.
 *
 * @param times the beginnings of the buckets, in ms since 1970. None: they are being read.
 * @param shape `bars` are stacked in the order of `series`; `lines` have a logarithmic axis.
 * @param beside figures that are not drawn.
 * @param onPick a bar of a series was clicked.
 */
export function Chart({
  label,
  times,
  series,
  shape,
  format,
  beside = NONE,
  onRange,
  onPick,
}: {
  label: string;
  times: readonly number[];
  series: readonly Series[];
  shape: 'bars' | 'lines';
  format: CanvasProps['format'];
  beside?: readonly Beside[];
  onRange?: (since: Date, until: Date) => void;
  onPick?: CanvasProps['onPick'];
}) {
  const [pointed, setPointed] = useState<number>();
  return (
    <figure className="m-0">
      <Legend times={times} series={series} beside={beside} format={format} at={pointed} />
      <Canvas
        key={`${shape} ${series.map(({ name }) => name).join()}`}
        data={toData(times, series, shape)}
        series={series}
        shape={shape}
        format={format}
        onRange={onRange}
        onPick={onPick}
        onPoint={setPointed}
      />
      <figcaption className="sr-only">
        {label}
        <FigureTable times={times} series={series} beside={beside} format={format} />
      </figcaption>
    </figure>
  );
}

/** All figures, for readers. */
function FigureTable({ times, series, beside, format }: FiguresProps) {
  return (
    <table>
      <thead>
        <tr>
          <td />
          {[...series, ...beside].map(({ name }) => (
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
              <td key={name}>{values[at] == null ? '–' : format(values[at], at)}</td>
            ))}
            {beside.map(({ name, texts }) => (
              <td key={name}>{texts[at] ?? '–'}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The picture. Its names and colours are those of its first render; figures change. */
function Canvas(props: CanvasProps) {
  const box = useRef<HTMLDivElement>(null);
  const Plot = useLibrary();
  const plot = useRef<uPlot>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const { data } = props;
  const isEmpty = data[0].length === 0;

  useEffect(() => {
    const element = box.current;
    if (element === null || Plot === undefined || isEmpty) {
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
  }, [Plot, isEmpty]);

  useEffect(() => plot.current?.setData(data), [data]);

  const look = Plot === undefined || isEmpty ? 'animate-pulse rounded-md bg-sunken motion-reduce:animate-none' : '';
  return <div ref={box} className={`h-[184px] w-full ${look}`} aria-hidden />;
}

/** The legend, with the figures at the pointer. Readers, who have the table, hear it only where it leads somewhere. */
function Legend({ times, series, beside, format, at }: FiguresProps & { at: number | undefined }) {
  const time = at === undefined ? undefined : times[at];
  const leads = series.some(({ list }) => list !== undefined);
  return (
    <div aria-hidden={!leads} className="figures flex flex-wrap justify-between gap-x-4 px-1 text-xs text-soft">
      <ul className="flex min-w-0 flex-wrap gap-x-4">
        {series.map((one) => (
          <LegendEntry key={one.name} series={one} format={format} at={at} />
        ))}
        {beside.map(({ name, texts }) => {
          const text = at === undefined ? undefined : texts[at];
          return (
            text != null && (
              <li key={name}>
                {name} <span className="text-ink">{text}</span>
              </li>
            )
          );
        })}
      </ul>
      {time !== undefined && <span>{absolute(time)}</span>}
    </div>
  );
}

function LegendEntry({
  series: { name, colour, values, list },
  format,
  at,
}: {
  series: Series;
  format: CanvasProps['format'];
  at: number | undefined;
}) {
  const value = at === undefined ? undefined : values[at];
  return (
    <li className="inline-flex min-w-0 items-center gap-1.5">
      <span aria-hidden className="size-2 shrink-0 rounded-xs" style={{ background: `var(--${colour})` }} />
      {list === undefined ? (
        name
      ) : (
        <Link
          to="/deliveries"
          search={list}
          className="inline-flex min-h-6 items-center text-inherit no-underline hover:underline"
        >
          {name}
        </Link>
      )}
      {value != null && (
        <span aria-hidden className="text-ink">
          {format(value, at)}
        </span>
      )}
    </li>
  );
}

const loadUplot = laterScript(() => import('uplot'));

/** Comes when the first chart is shown, into room that is kept for it: a first screen does not wait for it. */
function useLibrary(): typeof uPlot | undefined {
  const [library, setLibrary] = useState<{ Plot: typeof uPlot }>();
  useEffect(() => {
    loadUplot().then(
      ({ default: Plot }) => setLibrary({ Plot }),
      () => {}, // the figures are beside the chart
    );
  }, []);
  return library?.Plot;
}
