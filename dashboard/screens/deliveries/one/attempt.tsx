import { Trans, useLingui } from '@lingui/react/macro';
import { ShieldCheck } from 'lucide-react';
import { useContext, useState } from 'react';
import { useQuery } from 'urql';
import type { AttemptQuery } from '../../../api/generated/graphql';
import { Button, CopyButton } from '../../../parts/button';
import { Code } from '../../../parts/code';
import { isErased } from '../../../parts/erased';
import { Select } from '../../../parts/field';
import { HeaderTable } from '../../../parts/header-table';
import { JsonView } from '../../../parts/json-view';
import { Card, Failure } from '../../../parts/page';
import { PlaceContext } from '../../../parts/place';
import { Badge } from '../../../parts/status';
import { Untrusted } from '../../../parts/untrusted';
import { useAllowed } from '../../../parts/viewer';
import { bytes } from '../../../text/numbers';
import { statusText } from '../../../text/status-codes';
import { tokenFailureWhy } from '../../../text/token-failures';
import { ATTEMPT, type Attempt, type Delivery } from '../documents';
import { hexDump } from './answer';
import { isBinary, summaryOf } from './attempt-summary';
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
  const isConsole = useContext(PlaceContext) !== '';
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
          {isConsole && exchange != null && (
            <CopyButton text={summaryOf(attempt, exchange)} name={t`for the customer`}>
              <Trans>Copy for the customer</Trans>
            </CopyButton>
          )}
          <Button
            icon={<ShieldCheck />}
            onClick={() => setVerifying(true)}
            refused={exchange != null && exchange.requestBody == null ? t`This requires the request body.` : undefined}
          >
            <Trans>Verify the signature</Trans>
          </Button>
        </div>
      </div>
      {error && exchange == null && <Failure error={error} retry={again} />}
      {exchange != null && (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <Request exchange={exchange} erased={isErased(error)} />
          <Response exchange={exchange} erased={isErased(error)} />
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

function Request({
  exchange: { method, url, requestHeaders, requestBody, errorCode },
  erased,
}: {
  exchange: Exchange;
  erased: boolean;
}) {
  const { t } = useLingui();
  const mayRead = useAllowed('events:read');
  return (
    <Card title={<Trans>Request</Trans>}>
      <div className="flex flex-col gap-4">
        <p className="font-mono text-xs [overflow-wrap:anywhere]">
          <span className="font-semibold">{method}</span> <Untrusted text={url} />
        </p>
        {requestBody == null ? (
          <p className="text-sm text-soft">
            {!mayRead ? (
              <Trans>You cannot read the payload of events.</Trans>
            ) : erased ? (
              <Trans>The payload of the event was erased.</Trans>
            ) : errorCode === 'AUTH_FAILED' ? (
              <Trans>Nothing was sent: no access token came for it.</Trans>
            ) : errorCode === 'CONTENT_TOO_LARGE' ? (
              <Trans>Nothing was sent, because the body is too large.</Trans>
            ) : (
              <Trans>This body is not kept: the delivery was sent again with the endpoint's new format.</Trans>
            )}
          </p>
        ) : (
          <JsonView text={requestBody} name={t`the body`} />
        )}
        {errorCode !== 'AUTH_FAILED' && <HeaderTable label={t`Request headers`} headers={requestHeaders} />}
      </div>
    </Card>
  );
}

function Response({ exchange, erased }: { exchange: Exchange; erased: boolean }) {
  const { t, i18n } = useLingui();
  const { statusCode, errorCode, tokenFailure, responseHeaders, responseTruncated } = exchange;
  if (statusCode == null) {
    return (
      <Card title={<Trans>Answer</Trans>}>
        <p className="py-6 text-center text-sm text-soft">
          <Trans>
            No answer came: <code className="font-mono">{errorCode}</code>
          </Trans>
          {tokenFailure != null && <span className="mt-1 block">{i18n._(tokenFailureWhy(tokenFailure.code))}</span>}
        </p>
      </Card>
    );
  }
  return (
    <Card title={<Trans>Answer</Trans>} actions={responseTruncated && <Badge tone="warn">{t`cut at 16 KiB`}</Badge>}>
      <div className="flex flex-col gap-4">
        <p className="font-mono text-xs">
          <span className={`font-semibold ${errorCode == null ? 'text-good' : 'text-bad'}`}>
            {statusText(statusCode)}
          </span>
        </p>
        {erased ? (
          <p className="text-sm text-soft">
            <Trans>The answer was erased with the event.</Trans>
          </p>
        ) : (
          <ResponseBody exchange={exchange} />
        )}
        <HeaderTable label={t`Answer headers`} headers={responseHeaders ?? {}} />
      </div>
    </Card>
  );
}

function ResponseBody({ exchange: { responseBody, responseBodyBase64 } }: { exchange: Exchange }) {
  const { t } = useLingui();
  if (!responseBody) {
    return (
      <p className="text-sm text-soft">
        <Trans>The answer has no body.</Trans>
      </p>
    );
  }
  if (!isBinary(responseBody)) {
    return <JsonView text={responseBody} name={t`the body`} />;
  }
  const size = (responseBodyBase64?.length ?? 0) * 0.75;
  return (
    <>
      <p className="text-xs text-soft">
        <Trans>
          {bytes(Math.floor(size))} of binary data; the first {DUMPED_MAX} bytes in hex:
        </Trans>
      </p>
      <Code text={hexDump(responseBodyBase64 ?? '', DUMPED_MAX)} name={t`the hex dump`} />
    </>
  );
}
