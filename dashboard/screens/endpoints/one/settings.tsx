import { useSettable } from '../actions';
import { ContentGroup } from '../content/content-group';
import { OrderGroup } from '../ordering/order-group';
import { OwnershipGroup } from '../ownership/ownership-group';
import { RateGroup } from '../pace/rate-group';
import { HeadersGroup } from '../settings/headers-group';
import { SignaturesGroup } from '../settings/signatures-group';
import { TlsGroup } from '../tls/tls-group';
import type { ShownEndpoint, SigningKey } from '../use-endpoint';
import { SetupGroup } from './setup-group';

/** How an endpoint is set up, each group of values in the full width, and changed here. */
export default function Settings({
  endpoint,
  inherited,
  signingKeys,
}: {
  endpoint: ShownEndpoint;
  /** The values that the endpoints of its tenant inherit. */
  inherited: readonly string[];
  /** The key pairs of the endpoint's tenant, newest first. */
  signingKeys: readonly SigningKey[];
}) {
  const maySet = useSettable(endpoint);
  return (
    <div className="rounded-lg border border-line bg-surface">
      <SetupGroup endpoint={endpoint} />
      <ContentGroup endpoint={endpoint} maySet={maySet('content', 'content')} />
      <OrderGroup endpoint={endpoint} maySet={maySet('order', 'ordering')} />
      <RateGroup endpoint={endpoint} inherited={inherited} maySet={maySet('pace', 'pace', 'retry')} />
      <HeadersGroup endpoint={endpoint} maySet={maySet('headers', 'headers', 'auth')} />
      <TlsGroup endpoint={endpoint} maySet={endpoint.url.startsWith('https:') && maySet('tls', 'tls')} />
      <SignaturesGroup endpoint={endpoint} signingKeys={signingKeys} maySet={maySet('signing', 'signatures')} />
      <OwnershipGroup endpoint={endpoint} />
    </div>
  );
}
