import { Trans, useLingui } from '@lingui/react/macro';
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { useQuery } from 'urql';
import type { AttemptQuery } from '../../../api/generated/graphql';
import { Button } from '../../../parts/button';
import { Code } from '../../../parts/code';
import { Select } from '../../../parts/field';
import { JsonView } from '../../../parts/json-view';
import { Card, Failure } from '../../../parts/page';
import { Badge } from '../../../parts/status';
import { Untrusted } from '../../../parts/untrusted';
import { useAllowed } from '../../../parts/viewer';
import { bytes } from '../../../text/numbers';
import { ATTEMPT, type Attempt, type Delivery } from '../documents';
import { hexDump } from './answer';
import { HeaderTable } from './header-table';
import { VerifyDialog } from './verify-dialog';
import { Timing } from './waterfall';

/** The request and the answer of an attempt. */
export type Exchange = Extract<NonNullable<AttemptQuery['node']>, { requestHeaders: unknown }>;

/** The size of a binary answer, in bytes. */
const DUMPED_MAX = 512;

/** The request and the answer of this attempt; undefined until they are read. */
export function useExchange(id: string) {
  const payloads = useAllowed('events:read');
  const [{ data, error, fetching }, again] = useQuery({ query: ATTEMPT, variables: { id, payloads } });
  return { exchange: data?.node as Exchange | null | undefined, error, fetching, again };
}

/** One attempt: the request and the answer side by side. */
export function AttemptDetail({
  attempt,
  attempts,
  webhook,
  onCompare,
}: {
  attempt: Attempt;
  attempts: readonly Attempt[];
  webhook: Delivery['webhook'];
  onCompare: (against: number) => void;
}) {
  const { t } = useLingui();
  const { exchange, error, again } = useExchange(attempt.id);
  const [verifying, setVerifying] = useState(false);
  const others = attempts.filter(({ number }) => number !== attempt.number);
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="text-sm font-semibold">
          <Trans>Attempt {attempt.number}</Trans>
        </h2>
        <Timing attempt={attempt} />
        <div className="ms-auto flex flex-wrap gap-2">
          {others.length > 0 && (
            <Select
              label={t`Compare with another attempt`}
              value="none"
              onChange={(value) => value !== 'none' && onCompare(Number(value))}
              options={[
                { value: 'none', name: t`Compare with …` },
                ...others.map(({ number }) => ({ value: String(number), name: t`Attempt ${number}` })),
              ]}
            />
          )}
          <Button
            icon={<ShieldCheck />}
            onClick={() => setVerifying(true)}
            refused={
              exchange != null && exchange.requestBody == null
                ? t`This needs the body of the request, which you may not read.`
                : undefined
            }
          >
            <Trans>Verify the signature</Trans>
          </Button>
        </div>
      </div>
      {error && exchange == null && <Failure error={error} retry={again} />}
      {exchange != null && (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <Request exchange={exchange} />
          <Response exchange={exchange} />
        </div>
      )}
      {verifying && exchange != null && (
        <VerifyDialog
          headers={exchange.requestHeaders}
          body={exchange.requestBody ?? ''}
          overlapEnds={webhook?.previousSecretExpiresAt ?? undefined}
          onClose={() => setVerifying(false)}
        />
      )}
    </>
  );
}

function Request({ exchange }: { exchange: Exchange }) {
  const { t } = useLingui();
  return (
    <Card title={<Trans>Request</Trans>}>
      <div className="flex flex-col gap-4">
        <p className="font-mono text-xs [overflow-wrap:anywhere]">
          <span className="font-semibold">POST</span> <Untrusted text={exchange.url} />
        </p>
        <HeaderTable label={t`Headers of the request`} headers={exchange.requestHeaders} />
        {exchange.requestBody == null ? (
          <p className="text-sm text-soft">
            <Trans>Its body is the event's, which you may not read.</Trans>
          </p>
        ) : (
          <JsonView text={exchange.requestBody} name={t`the body`} />
        )}
      </div>
    </Card>
  );
}

function Response({ exchange }: { exchange: Exchange }) {
  const { t } = useLingui();
  const { statusCode, responseHeaders, responseBody, responseBodyBase64, responseTruncated } = exchange;
  if (statusCode == null) {
    return (
      <Card title={<Trans>Answer</Trans>}>
        <p className="py-6 text-center text-sm text-soft">
          <Trans>
            No answer came: <code className="font-mono">{exchange.errorCode}</code>
          </Trans>
        </p>
      </Card>
    );
  }
  // Bytes that are no UTF-8 stand as U+FFFD in the text: such an answer, or one with NUL, is no text.
  const isBinary = /[\uFFFD\0]/.test(responseBody ?? '');
  const size = (responseBodyBase64?.length ?? 0) * 0.75;
  return (
    <Card title={<Trans>Answer</Trans>} actions={responseTruncated && <Badge tone="warn">{t`cut at 16 KiB`}</Badge>}>
      <div className="flex flex-col gap-4">
        <p className="font-mono text-xs">
          <span className={`font-semibold ${exchange.errorCode == null ? 'text-good' : 'text-bad'}`}>{statusCode}</span>
        </p>
        <HeaderTable label={t`Headers of the answer`} headers={responseHeaders ?? {}} />
        {!responseBody ? (
          <p className="text-sm text-soft">
            <Trans>The answer has no body.</Trans>
          </p>
        ) : isBinary ? (
          <>
            <p className="text-xs text-soft">
              <Trans>
                {bytes(Math.floor(size))} that are no text; the first {DUMPED_MAX} in hex:
              </Trans>
            </p>
            <Code text={hexDump(responseBodyBase64 ?? '', DUMPED_MAX)} name={t`the hex dump`} />
          </>
        ) : (
          <JsonView text={responseBody} name={t`the body`} />
        )}
      </div>
    </Card>
  );
}
