import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { HELD_SHOWN_MAX } from '../../../../src/domain/deliveries/health-limits';
import { Button, CopyButton } from '../../../parts/button';
import { Card, Fact, Facts } from '../../../parts/page';
import { Link } from '../../../parts/place';
import { shortly, Time, useClock } from '../../../parts/time';
import { Untrusted } from '../../../parts/untrusted';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { count, countUpTo, duration } from '../../../text/numbers';
import { remedyFor } from '../../../text/remedies';
import { useAction, useOffered } from '../actions';
import { ContentCard } from '../content/content-card';
import { textsOf } from '../form/endpoint-values';
import { KeyPairCard } from '../key-pair/key-pair-card';
import { OrderCard } from '../ordering/order-card';
import { OwnershipCard } from '../ownership/ownership-card';
import { PaceCard } from '../pace/pace-card';
import { HeadersCard } from '../settings/headers-card';
import { SignaturesCard } from '../settings/signatures-card';
import { CertificateRemark } from '../tls/certificate-remark';
import { TlsCard } from '../tls/tls-card';
import type { ShownEndpoint, SigningKey } from '../use-endpoint';

interface SideProps {
  endpoint: ShownEndpoint;
}

/** Beside the deliveries: what comes next, why deliveries have failed, and how the endpoint is set up. */
export function EndpointSide({
  endpoint,
  inherited,
  signingKeys,
}: SideProps & { inherited: readonly string[]; signingKeys: readonly SigningKey[] }) {
  return (
    <div className="flex flex-col gap-4">
      <OwnershipCard endpoint={endpoint} />
      <WhatIsNext endpoint={endpoint} />
      <WhyFailed endpoint={endpoint} />
      <PaceCard endpoint={endpoint} inherited={inherited} />
      <ContentCard endpoint={endpoint} />
      <OrderCard endpoint={endpoint} />
      <Setup endpoint={endpoint} />
      <HeadersCard endpoint={endpoint} />
      <TlsCard endpoint={endpoint} />
      <SignaturesCard endpoint={endpoint} />
      <KeyPairCard endpoint={endpoint} signingKeys={signingKeys} />
    </div>
  );
}

function WhatIsNext({ endpoint }: SideProps) {
  const { backlog, endpointState, nextAttempts } = endpoint;
  const [, start] = useAction();
  const isOffered = useOffered(endpoint);
  const now = useClock((time) => Math.floor(time / 1_000) * 1_000);
  // Many may be planned for one minute, as after a pause that the endpoint has asked for.
  const times = [
    ...new Set(
      (nextAttempts ?? []).flatMap(({ nextAttemptAt: at }) =>
        at != null && Date.parse(at) > now ? [shortly(at)] : [],
      ),
    ),
  ];
  const upTo = (value: number) => countUpTo(value, backlog?.countMax ?? Number.POSITIVE_INFINITY);
  return (
    <Card title={<Trans>Coming up</Trans>}>
      <Facts>
        <Fact name={<Trans>Due now</Trans>}>
          <span className="figures">
            {upTo(backlog?.due ?? 0)}
            {backlog?.oldestDueAt && (
              <span className="text-soft">
                {' '}
                <Trans>
                  the oldest <Time value={backlog.oldestDueAt} />
                </Trans>
              </span>
            )}
          </span>
        </Fact>
        <Fact name={<Trans>Scheduled</Trans>}>
          <span className="figures">
            {upTo(backlog?.scheduled ?? 0)}
            {times.length > 0 && <span className="ms-2 text-soft">{times.join(' · ')}</span>}
          </span>
          {isOffered('attempt') && (backlog?.scheduled ?? 0) > 0 && (
            <div className="mt-1.5">
              <Button onClick={() => start('attempt')}>
                <Trans>Try now</Trans>
              </Button>
            </div>
          )}
        </Fact>
        <Fact name={<Trans>Held</Trans>}>
          <span className={`figures ${endpoint.heldCount > 0 ? 'font-medium text-warn' : ''}`}>
            {countUpTo(endpoint.heldCount, HELD_SHOWN_MAX)}
          </span>
        </Fact>
        {endpointState && (
          <Fact name={<Trans>In parallel</Trans>}>
            <span className="figures">
              <Trans>
                {count(endpointState.inFlight)} of {count(endpointState.window)} requests
              </Trans>
              {endpointState.meanMs != null && (
                <span className="text-soft">
                  {' '}
                  <Trans>{duration(endpointState.meanMs)} each</Trans>
                </span>
              )}
            </span>
          </Fact>
        )}
      </Facts>
    </Card>
  );
}

function WhyFailed({ endpoint }: SideProps) {
  const { i18n } = useLingui();
  const failures = endpoint.failures ?? [];
  if (failures.length === 0) {
    return null;
  }
  return (
    <Card
      title={<Trans>Why deliveries failed</Trans>}
      actions={
        <span className="text-xs text-soft">
          <Trans>of the last 1,000</Trans>
        </span>
      }
      flush
    >
      <ul>
        {failures.map(({ errorCode, deliveries }) => (
          <li key={errorCode} className="border-b border-line px-3.5 py-2 last:border-b-0">
            <div className="flex items-baseline justify-between gap-2 text-sm">
              <Link
                to="/deliveries"
                search={{ endpoint: String(endpoint.databaseId), error: errorCode }}
                className="min-w-0 font-mono text-xs font-medium text-bad no-underline hover:underline"
              >
                <Untrusted text={errorCode} />
              </Link>
              <span className="figures text-xs whitespace-nowrap text-soft">
                <Plural value={deliveries} one="# delivery" other="# deliveries" />
              </span>
            </div>
            <p className="mt-0.5 text-xs text-soft">
              {i18n._(remedyFor(errorCode).what)}
              <CertificateRemark code={errorCode} endpoint={endpoint} />
            </p>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Setup({ endpoint }: { endpoint: ShownEndpoint }): ReactNode {
  const { t, i18n } = useLingui();
  const [, start] = useAction();
  const isOffered = useOffered(endpoint);
  const { url, eventTypes, databaseId, createdAt, previousSecretExpiresAt } = endpoint;
  const overlap = previousSecretExpiresAt != null && Date.parse(previousSecretExpiresAt) > Date.now();
  return (
    <Card title={<Trans>Setup</Trans>}>
      <Facts>
        <Fact name={i18n._(ENDPOINT_FIELDS.url.name)}>
          <span className="flex items-start gap-1">
            <span className="min-w-0 flex-1">
              <Untrusted text={url} />
            </span>
            <span className="-my-1.5">
              <CopyButton text={url} name={t`the URL`} />
            </span>
          </span>
        </Fact>
        <Fact name={<Trans>Event types</Trans>}>
          {eventTypes.includes('*') ? (
            <Trans>All events, including types added later</Trans>
          ) : (
            <ul>
              {eventTypes.map((name) => (
                <li key={name}>
                  <code className="font-mono text-xs">
                    <Untrusted text={name} />
                  </code>
                </li>
              ))}
            </ul>
          )}
        </Fact>
        {textsOf(endpoint).map(
          ([name, text]) =>
            !['url', 'eventTypes'].includes(name) &&
            text !== '' && (
              <Fact key={name} name={i18n._(ENDPOINT_FIELDS[name].name)}>
                <Untrusted text={text} />
              </Fact>
            ),
        )}
        <Fact name={<Trans>Signing secret</Trans>}>
          {overlap ? (
            <Trans>
              The previous one is valid too, and ends <Time value={previousSecretExpiresAt} />.
            </Trans>
          ) : (
            <Trans>Shown only when it was created</Trans>
          )}
          {isOffered('rotate') && (
            <div className="mt-1.5">
              <Button onClick={() => start('rotate')}>
                <Trans>Rotate</Trans>
              </Button>
            </div>
          )}
        </Fact>
        <Fact name={<Trans>Number</Trans>}>
          <span className="figures">{databaseId}</span>
        </Fact>
        <Fact name={<Trans>Created</Trans>}>
          <Time value={createdAt} absolute />
        </Fact>
      </Facts>
    </Card>
  );
}
