import { Trans, useLingui } from '@lingui/react/macro';
import { CircleAlert, CircleCheck, CirclePause, Info, TriangleAlert } from 'lucide-react';
import { type ReactNode, useContext, useEffect } from 'react';
import type { CombinedError } from 'urql';
import { ForeignAnswer } from '../api/foreign-answer';
import { Button } from './button';
import { plainUntrusted, Untrusted } from './untrusted';
import { ViewerContext } from './viewer';
import { useVisit } from './visits';

/** The head of a screen: its title (also the tab's, with the tenant's name), its badges, and its actions. */
export function PageHead({
  title,
  badges,
  actions,
  back,
}: {
  title: string;
  badges?: ReactNode;
  actions?: ReactNode;
  back?: ReactNode;
}) {
  const tenant = useContext(ViewerContext)?.tenant?.name;
  const name = plainUntrusted(tenant === undefined ? title : `${title} · ${tenant}`);
  useVisit(name);
  useEffect(() => {
    document.title = name;
  }, [name]);
  return (
    <header className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
      <div className={`min-w-0 flex-1 ${back === undefined ? 'basis-44' : 'basis-80'}`}>
        {back !== undefined && <div className="mb-0.5 text-xs text-soft">{back}</div>}
        <h1 className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1 text-xl font-semibold tracking-tight">
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <Untrusted text={title} />
          </span>
          {badges}
        </h1>
      </div>
      {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}

/** A framed part of a screen. */
export function Card({
  title,
  actions,
  children,
  flush,
}: {
  title?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** Without padding, for tables and charts that reach the frame. */
  flush?: boolean;
}) {
  return (
    <section className="min-w-0 overflow-hidden rounded-lg border border-line bg-surface">
      {title !== undefined && (
        <div className="flex min-h-10 flex-wrap items-center justify-between gap-2 border-b border-line px-3.5 py-1.5">
          <h2 className="text-sm font-semibold">{title}</h2>
          {actions !== undefined && <div className="flex max-w-full items-center gap-2">{actions}</div>}
        </div>
      )}
      <div className={flush ? '' : 'p-3.5'}>{children}</div>
    </section>
  );
}

/** Figures in a row: a name, a number, a remark below it. */
export function Figures({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3 lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none">
      {children}
    </dl>
  );
}

export function Figure({
  name,
  value,
  remark,
  tone,
}: {
  name: ReactNode;
  value: ReactNode;
  remark?: ReactNode;
  tone?: Tone | undefined;
}) {
  return (
    <div className="min-w-0 bg-surface px-3.5 py-2.5">
      <dt className="truncate text-xs text-soft">{name}</dt>
      <dd className={`figures mt-0.5 text-xl font-semibold tracking-tight ${tone === undefined ? '' : TEXT[tone]}`}>
        {value}
      </dd>
      {remark !== undefined && <dd className="figures text-xs text-faint sm:truncate">{remark}</dd>}
    </div>
  );
}

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'calm';

const TEXT: Record<Tone, string> = {
  good: 'text-good',
  bad: 'text-bad',
  warn: 'text-warn',
  info: 'text-info',
  calm: 'text-soft',
};
const SOFT: Record<Tone, string> = {
  good: 'bg-good-soft border-good/25',
  bad: 'bg-bad-soft border-bad/25',
  warn: 'bg-warn-soft border-warn/25',
  info: 'bg-info-soft border-info/25',
  calm: 'bg-sunken border-line',
};
const ICONS = { good: CircleCheck, bad: CircleAlert, warn: TriangleAlert, info: Info, calm: CirclePause };

/** The sentence that a person came for, with what can be done about it. */
export function Answer({ tone, children, actions }: { tone: Tone; children: ReactNode; actions?: ReactNode }) {
  const Icon = ICONS[tone];
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={`flex flex-wrap items-center gap-x-4 gap-y-2.5 rounded-lg border px-3.5 py-2.5 ${SOFT[tone]}`}
    >
      <Icon aria-hidden className={`size-4.5 shrink-0 self-start ${TEXT[tone]} mt-px`} />
      <div className="min-w-0 flex-1 basis-60">{children}</div>
      {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
    </div>
  );
}

/** The text of an empty list: its usual content, and the next step. */
export function Empty({ title, children, action }: { title: ReactNode; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-center px-6 py-14 text-center">
      <p className="font-medium">{title}</p>
      {children !== undefined && <p className="mt-1 max-w-md text-sm text-balance text-soft">{children}</p>}
      {action !== undefined && <div className="mt-4">{action}</div>}
    </div>
  );
}

/** Why something cannot be shown or done: in the words of the API, with the request's id, and what to do now. */
export function Failure({ error, retry }: { error: CombinedError; retry?: () => void }) {
  const { t } = useLingui();
  const requestId = (error.response as Response | undefined)?.headers?.get('x-request-id');
  const code = error.graphQLErrors[0]?.extensions?.['code'];
  const canHelp = retry !== undefined && code !== 'NOT_FOUND';
  return (
    <Answer tone="bad" actions={canHelp && <Button onClick={retry}>{t`Try again`}</Button>}>
      <p className="font-medium">
        {error.networkError ? <Unreachable error={error.networkError} /> : <Untrusted text={messageOf(error)} />}
      </p>
      <p className="text-xs text-soft">
        {error.networkError instanceof ForeignAnswer ? (
          <Trans>Check the proxy in front of Hookwright. It must let the header Authorization pass.</Trans>
        ) : (
          error.networkError && <Trans>Check your network. The service may be restarting.</Trans>
        )}
        {typeof code === 'string' && <code className="font-mono">{code}</code>}
        {requestId && (
          <>
            {' · '}
            <Trans>
              request <code className="font-mono">{requestId}</code>
            </Trans>
          </>
        )}
      </p>
    </Answer>
  );
}

const Unreachable = ({ error }: { error: Error }) =>
  error instanceof ForeignAnswer ? error.message : <Trans>The service is unreachable.</Trans>;

/** The first sentence that the API has said about an error. */
export function messageOf(error: CombinedError): string {
  return error.graphQLErrors[0]?.message ?? error.networkError?.message ?? error.message;
}

/** Names and values, one below the other. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-[minmax(7rem,max-content)_1fr] gap-x-4 gap-y-1.5 text-sm">{children}</dl>;
}

export function Fact({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere] max-cards:**:[time]:whitespace-normal">{children}</dd>
    </>
  );
}
