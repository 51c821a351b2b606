import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { HELD_SHOWN_MAX } from '../../src/domain/deliveries/health-limits';
import { countUpTo } from '../text/numbers';
import { NoValue } from './list';
import { Link } from './place';
import { Time } from './time';
import { Untrusted } from './untrusted';

const SUBJECT = 'font-medium text-ink no-underline hover:underline';
/** The link of an endpoint that is the subject of its row. Its box ends with the cell, however long the URL is. */
export const ENDPOINT_SUBJECT = `${SUBJECT} block truncate max-cards:line-clamp-2 max-cards:whitespace-normal`;

/** The url of an endpoint without `https://`, which nearly all have. */
export function shortUrl(url: string): string {
  return url.replace(/^https:\/\//, '');
}

interface NamedEndpoint {
  name?: string | null;
  url: string;
  externalId?: string | null;
}

const nameOf = ({ name, url }: NamedEndpoint): string => name ?? shortUrl(url);

/** The name of an endpoint, or its url if it has none, and its external id. */
export const endpointLabel = (endpoint: NamedEndpoint): string => labelOf(nameOf(endpoint), endpoint.externalId);

/** A name and an external id in one line. */
export const labelOf = (name: string, externalId: string | null | undefined): string =>
  externalId == null ? name : `${name} · ${externalId}`;

/** A name, and behind it the external id of what it names. */
export function NameAndId({ name, externalId }: { name: string; externalId?: string | null | undefined }) {
  return (
    <>
      <Untrusted text={name} />
      {externalId != null && (
        <code className="ms-1.5 font-mono text-xs font-normal text-faint">
          <Untrusted text={externalId} />
        </code>
      )}
    </>
  );
}

export const EndpointName = ({ endpoint }: { endpoint: NamedEndpoint }) => (
  <NameAndId name={nameOf(endpoint)} externalId={endpoint.externalId} />
);

/**
 * An endpoint by its name or url and its external id, which leads to its page.
 *
 * @param secondary it is not the subject of the row
 * @param otherwise is shown without one. Default: that it was deleted.
 */
export function EndpointLink({
  webhook,
  secondary,
  otherwise = <Trans>deleted</Trans>,
}: {
  webhook: (NamedEndpoint & { databaseId: number }) | null | undefined;
  secondary?: boolean;
  otherwise?: ReactNode;
}) {
  if (webhook == null) {
    return <span className="text-faint">{otherwise}</span>;
  }
  return (
    <Link
      to={`/endpoints/${webhook.databaseId}`}
      className={secondary ? 'text-soft no-underline hover:text-ink hover:underline' : ENDPOINT_SUBJECT}
    >
      <EndpointName endpoint={webhook} />
    </Link>
  );
}

/** The link of what a row is about. */
export function SubjectLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className={SUBJECT}>
      {children}
    </Link>
  );
}

/** A moment, or `never`. */
export function TimeOrNever({ value }: { value: string | null | undefined }) {
  return value ? (
    <Time value={value} />
  ) : (
    <span className="text-faint">
      <Trans>never</Trans>
    </span>
  );
}

/** How many deliveries an endpoint holds, as far as they are counted. */
export function HeldCount({ held }: { held: number }) {
  return <span className={held === 0 ? 'text-faint' : 'font-medium text-warn'}>{countUpTo(held, HELD_SHOWN_MAX)}</span>;
}

/** A delivery by its event type, which leads to its page. */
export function DeliveryLink({ delivery }: { delivery: { databaseId: number; eventType: string } }) {
  return (
    <SubjectLink to={`/deliveries/${delivery.databaseId}`}>
      <Untrusted text={delivery.eventType} />
    </SubjectLink>
  );
}

/** The result of a delivery's latest attempt: an error code, a status, or nothing yet. */
export function AnswerCode({
  delivery: { lastStatusCode, lastErrorCode },
}: {
  delivery: { lastStatusCode?: number | null; lastErrorCode?: string | null };
}) {
  const code = lastErrorCode ?? lastStatusCode;
  if (code == null) {
    return <NoValue />;
  }
  return (
    <code className={`figures font-mono text-xs ${lastErrorCode == null ? 'text-soft' : 'text-bad'}`}>{code}</code>
  );
}
