import { useLingui } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useQuery } from 'urql';
import { markedExternalId } from '../../../../src/domain/ids/external-id';
import { endpointLabel, labelOf } from '../../../parts/cells';
import { OnePage } from '../../../parts/one-page';
import { useGo } from '../../../parts/place';
import { WebhookBadge } from '../../../parts/status';
import { EndpointAnswerView } from '../answer/endpoint-answer-view';
import { ENDPOINT_OF } from '../documents';
import { BlockedKeys } from '../ordering/blocked-keys';
import { useEndpoint } from '../use-endpoint';
import { ActionBar } from './action-bar';
import { EndpointCharts } from './endpoint-charts';
import { EndpointDialogs } from './endpoint-dialogs';
import { EndpointSide } from './endpoint-side';
import { LatestDeliveries } from './latest-deliveries';

/** One endpoint: how it is, why, and what can be done now; then what it has done, and what comes next. */
export default function Endpoint() {
  const { number } = useParams({ strict: false }) as { number: string };
  const externalId = markedExternalId(number);
  return externalId === null ? <EndpointPage number={number} /> : <ByExternalId externalId={externalId} />;
}

/** Addresses that other programs link to may have the external id of an endpoint: they lead to that with its number. */
function ByExternalId({ externalId }: { externalId: string }) {
  const { t } = useLingui();
  const go = useGo();
  const [{ data, error }, read] = useQuery({ query: ENDPOINT_OF, variables: { externalId } });
  const number = data?.webhook?.databaseId;
  useEffect(() => {
    if (number !== undefined) {
      go(`/endpoints/${number}`, undefined, { replace: true });
    }
  }, [go, number]);
  return (
    <OnePage
      title={t`Endpoint ${externalId}`}
      back={{ to: '/endpoints', name: t`Endpoints` }}
      thing={null}
      error={error}
      retry={read}
    >
      {() => null}
    </OnePage>
  );
}

function EndpointPage({ number }: { number: string }) {
  const { t } = useLingui();
  const { endpoint, inherited, signingKeys, error, read } = useEndpoint(number);
  return (
    <OnePage
      title={t`Endpoint ${number}`}
      back={{ to: '/endpoints', name: t`Endpoints` }}
      thing={endpoint}
      error={error}
      retry={read}
      head={(one) => ({
        title: titleOf(one),
        badges: <WebhookBadge webhook={one} />,
        actions: <ActionBar endpoint={one} />,
      })}
    >
      {(one) => (
        <>
          <EndpointAnswerView endpoint={one} />
          <BlockedKeys endpoint={one} />
          <EndpointCharts endpoint={one} />
          <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
            <LatestDeliveries endpoint={one} />
            <EndpointSide endpoint={one} inherited={inherited} signingKeys={signingKeys} />
          </div>
          <EndpointDialogs endpoint={one} />
        </>
      )}
    </OnePage>
  );
}

/** How much of a name or URL the title shows before the external id: the setup has all of it. */
const TITLE_MAX = 120;

function titleOf({ externalId, ...endpoint }: Parameters<typeof endpointLabel>[0]): string {
  const name = endpointLabel(endpoint);
  return labelOf(name.length > TITLE_MAX ? `${name.slice(0, TITLE_MAX)}…` : name, externalId);
}
