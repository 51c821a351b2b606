import { Trans, useLingui } from '@lingui/react/macro';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../../parts/button';
import { headerLines } from '../../../parts/header-lines';
import { Card, Failure } from '../../../parts/page';
import { absolute } from '../../../parts/time';
import { Untrusted } from '../../../parts/untrusted';
import { duration } from '../../../text/numbers';
import { statusText } from '../../../text/status-codes';
import { type Exchange, useExchange } from './attempt';
import { diffLines, inLines } from './diff';
import type { Attempt } from './documents';

export interface ComparedAttempts {
  first: Attempt;
  second: Attempt;
  onClose: () => void;
}

/** The differences between two attempts: headers and body of request and answer. */
export default function CompareAttempts({ first, second, onClose }: ComparedAttempts) {
  const [older, younger] = first.number < second.number ? [first, second] : [second, first];
  const before = useExchange(older.id);
  const after = useExchange(younger.id);
  const error = before.error ?? after.error;
  const again = () => {
    before.again();
    after.again();
  };
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-sm font-semibold">
          <Trans>
            Attempts {older.number} and {younger.number}
          </Trans>
        </h2>
        <Button icon={<X />} onClick={onClose}>
          <Trans>Close the comparison</Trans>
        </Button>
      </div>
      {error && <Failure error={error} retry={again} />}
      {before.exchange != null && after.exchange != null && (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <Side
            title={<Trans>Request</Trans>}
            before={requestText(older, before.exchange)}
            after={requestText(younger, after.exchange)}
          />
          <Side
            title={<Trans>Answer</Trans>}
            before={answerText(older, before.exchange)}
            after={answerText(younger, after.exchange)}
          />
        </div>
      )}
    </>
  );
}

function requestText({ startedAt }: Attempt, { method, url, requestHeaders, requestBody }: Exchange): string {
  const head = [`${method} ${url}`, `# ${absolute(startedAt)}`, ...lines(requestHeaders)];
  return [...head, '', inLines(requestBody ?? '')].join('\n');
}

function answerText({ durationMs, errorCode }: Attempt, exchange: Exchange): string {
  const { statusCode, responseHeaders, responseBody } = exchange;
  return [
    statusCode == null ? String(errorCode) : statusText(statusCode),
    `# ${duration(durationMs)}`,
    ...lines(responseHeaders ?? {}),
    '',
    inLines(responseBody ?? ''),
  ].join('\n');
}

const lines = (headers: Record<string, unknown>) => headerLines(headers).map(([name, value]) => `${name}: ${value}`);

function Side({ title, before, after }: { title: ReactNode; before: string; after: string }) {
  const { t } = useLingui();
  const marks = {
    same: { sign: ' ', look: '', name: '' },
    removed: { sign: '−', look: 'bg-bad-soft text-bad', name: t`only before` },
    added: { sign: '+', look: 'bg-good-soft text-good', name: t`only after` },
  };
  const compared = diffLines(before, after);
  const changes = compared.filter(({ kind }) => kind !== 'same').length;
  return (
    <Card
      flush
      title={title}
      actions={
        <span className="text-xs text-soft">
          {changes === 0 ? <Trans>The same</Trans> : <Trans>{changes} lines differ</Trans>}
        </span>
      }
    >
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls takes the focus, so that keys can scroll it
        tabIndex={0}
        className="relative max-h-128 overflow-auto py-2 font-mono text-xs leading-relaxed"
      >
        {compared.map(({ kind, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same line may be in several places
          <div key={index} className={`flex px-3.5 ${marks[kind].look}`}>
            <span aria-hidden className="w-4 shrink-0 select-none">
              {marks[kind].sign}
            </span>
            {kind !== 'same' && <span className="sr-only">{marks[kind].name}: </span>}
            <span className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
              <Untrusted text={text} />
            </span>
          </div>
        ))}
      </div>
    </Card>
  );
}
