import { useLingui } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { endpointLabel } from '../../../parts/cells';
import { OnePage } from '../../../parts/one-page';
import { WebhookBadge } from '../../../parts/status';
import { EndpointAnswerView } from '../answer/endpoint-answer-view';
import { BlockedKeys } from '../ordering/blocked-keys';
import { useEndpoint } from '../use-endpoint';
import { ActionBar } from './action-bar';
import { EndpointCharts } from './endpoint-charts';
import { EndpointDialogs } from './endpoint-dialogs';
import { EndpointSide } from './endpoint-side';
import { LatestDeliveries } from './latest-deliveries';

/** One endpoint: how it is, why, and what can be done now; then what it has done, and what comes next. */
export default function Endpoint() {
  const { t } = useLingui();
  const { number } = useParams({ strict: false }) as { number: string };
  const { endpoint, inherited, error, read } = useEndpoint(number);
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
            <EndpointSide endpoint={one} inherited={inherited} />
          </div>
          <EndpointDialogs endpoint={one} />
        </>
      )}
    </OnePage>
  );
}

/** How much of a name or URL the title shows: the setup has all of it. */
const TITLE_MAX = 120;

function titleOf(endpoint: Parameters<typeof endpointLabel>[0]): string {
  const short = endpointLabel(endpoint);
  return short.length > TITLE_MAX ? `${short.slice(0, TITLE_MAX)}…` : short;
}
