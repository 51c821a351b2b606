import { Trans, useLingui } from '@lingui/react/macro';
import { CalendarRange } from 'lucide-react';
import { useMemo, useState } from 'react';
import { momentIn, RANGES, type RangeName } from '../text/moments';
import { Button } from './button';
import { Dialog } from './dialog';
import { type Search, useAddress } from './place';
import { Segments } from './segments';
import { shortly } from './time';
import type { TimeFormProps } from './time-form';
import { whenWanted } from './when-wanted';

const TimeForm = whenWanted<TimeFormProps>(async () => ({ default: (await import('./time-form')).TimeForm }));

export interface Range {
  /** Both in ISO 8601; `until` is undefined for a range that ends now. */
  since: string;
  until: string | undefined;
  name: RangeName | 'custom';
}

/**
 * The range of time of a screen, which its address keeps: `range=7d`, or `since=…&until=…`. A range that ends now begins
 * at a whole minute, so that the same question is asked until it moves on.
 */
export function useRange(usual: RangeName = '24h'): Range {
  const [{ range, since: from, until: to }] = useAddress();
  return useMemo(() => {
    const since = momentIn(from);
    if (since !== undefined) {
      return { since, until: momentIn(to), name: 'custom' };
    }
    const name = range !== undefined && Object.hasOwn(RANGES, range) ? (range as RangeName) : usual;
    const begin = Math.floor((Date.now() - RANGES[name]) / 60_000) * 60_000;
    return { since: new Date(begin).toISOString(), until: undefined, name };
  }, [range, from, to, usual]);
}

/** The range as parameters of a list's address. */
export function rangeSearch({ name, since, until }: Range): Search {
  return name === 'custom' ? { since, until } : { range: name };
}

/** Shows the time between two moments, as dragging over a chart chooses it. */
export function useChooseRange(): (since: Date, until: Date) => void {
  const [, setAddress] = useAddress();
  return (since, until) => setAddress({ range: undefined, since: since.toISOString(), until: until.toISOString() });
}

/** Chooses the range: one that ends now, or any other by its beginning and end. */
export function RangePicker({ usual = '24h' }: { usual?: RangeName }) {
  const { t } = useLingui();
  const current = useRange(usual);
  const [, setAddress] = useAddress();
  const [open, setOpen] = useState(false);
  const names: Record<RangeName, string> = { '1h': t`1 h`, '24h': t`24 h`, '7d': t`7 d`, '30d': t`30 d` };
  const choose = (name: string) =>
    setAddress({ range: name === usual ? undefined : name, since: undefined, until: undefined });
  const { since, until } = current;
  const shown =
    current.name === 'custom' ? `${shortly(since)} – ${until === undefined ? t`now` : shortly(until)}` : undefined;
  return (
    <div className="flex items-center gap-1.5">
      <Segments
        label={t`Range`}
        value={current.name}
        onChange={choose}
        options={(Object.keys(RANGES) as RangeName[]).map((name) => ({ value: name, name: names[name] }))}
      />
      <Button
        icon={<CalendarRange />}
        label={shown === undefined ? t`Custom range` : t`Custom range: ${shown}`}
        onClick={() => setOpen(true)}
      >
        {shown}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={<Trans>Custom range</Trans>}>
        <TimeForm
          wanted={open}
          since={current.since}
          until={current.until}
          required
          action={<Trans>Show this range</Trans>}
          onChosen={(times) => {
            setAddress({ range: undefined, ...times });
            setOpen(false);
          }}
        />
      </Dialog>
    </div>
  );
}
