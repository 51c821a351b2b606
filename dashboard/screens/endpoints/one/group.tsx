import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Button } from '../../../parts/button';
import { type Action, useAction } from '../actions';

/** A group of settings in the full width: its name, its values, and the way to change them here. */
export function Group({
  title,
  change,
  actions,
  children,
}: {
  title: ReactNode;
  /** The action of *Change*; false where the caller may not. */
  change?: Action | false;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const [, start] = useAction();
  return (
    <section className="grid min-w-0 grid-cols-[1fr_auto] items-start gap-x-6 gap-y-2 overflow-hidden border-b border-line px-3.5 py-2.5 max-cards:py-2 last:border-b-0 max-cards:gap-y-1 lg:grid-cols-[9rem_minmax(0,1fr)_7rem]">
      <h2 className="text-sm font-semibold">{title}</h2>
      <div className="min-w-0 max-lg:order-1 max-lg:col-span-2">{children}</div>
      <div className="-my-1 flex flex-wrap justify-end gap-2">
        {actions}
        {change && (
          <Button onClick={() => start(change)}>
            <Trans>Change</Trans>
          </Button>
        )}
      </div>
    </section>
  );
}

/** Values in columns, each below its name. */
export function Values({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-flow-dense grid-cols-2 gap-x-5 gap-y-1.5 text-sm max-cards:gap-y-1 sm:grid-cols-4">
      {children}
    </dl>
  );
}

/** @param wide for a text: two columns, and all of a phone. `table`: not on a phone. @param high beside two rows of others */
export function Value({
  name,
  wide,
  high,
  children,
}: {
  name: ReactNode;
  wide?: boolean | 'table';
  high?: boolean;
  children: ReactNode;
}) {
  return (
    <div
      className={`min-w-0 ${wide === 'table' ? 'sm:col-span-2' : wide ? 'col-span-2' : ''} ${high ? 'sm:row-span-2' : ''}`}
    >
      <dt className="text-xs text-soft">{name}</dt>
      <dd className="[overflow-wrap:anywhere] max-cards:**:[time]:whitespace-normal">{children}</dd>
    </div>
  );
}

/** Where a value comes from, or what else is to be said of it. */
export const Remark = ({ children }: { children: ReactNode }) => (
  <span className="text-xs text-soft sm:block">{children}</span>
);

/** A long text that few people read: it opens below its name. */
export function Folded({ summary, children }: { summary: ReactNode; children: ReactNode }) {
  return (
    <details className="text-sm">
      <summary className="cursor-pointer leading-6 text-soft">{summary}</summary>
      <div className="mt-2">{children}</div>
    </details>
  );
}
