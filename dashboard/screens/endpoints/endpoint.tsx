import { Trans, useLingui } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { shortUrl } from '../../parts/cells';
import { Empty, Failure, PageHead } from '../../parts/page';
import { Link } from '../../parts/place';
import { WebhookBadge } from '../../parts/status';
import { ActionBar } from './action-bar';
import { EndpointAnswerView } from './answer/endpoint-answer-view';
import { EndpointCharts } from './endpoint-charts';
import { EndpointDialogs } from './endpoint-dialogs';
import { EndpointSide } from './endpoint-side';
import { LatestDeliveries } from './latest-deliveries';
import { useEndpoint } from './use-endpoint';

/** One endpoint: how it is, why, and what can be done now; then what it has done, and what comes next. */
export default function Endpoint() {
  const { t } = useLingui();
  const { number } = useParams({ strict: false }) as { number: string };
  const { endpoint, error, fetching, read } = useEndpoint(number);
  const back = <Link to="/endpoints">{t`Endpoints`}</Link>;
  if (endpoint !== undefined) {
    return <Found endpoint={endpoint} read={read} error={error} back={back} />;
  }
  const isMissing = error?.graphQLErrors[0]?.extensions?.['code'] === 'NOT_FOUND';
  return (
    <>
      <PageHead title={t`Endpoint ${number}`} back={back} />
      {isMissing ? (
        <Empty title={<Trans>There is no endpoint {number}.</Trans>} action={back}>
          <Trans>It may have been deleted: its deliveries are kept for a while all the same.</Trans>
        </Empty>
      ) : (
        error && !fetching && <Failure error={error} retry={read} />
      )}
    </>
  );
}

/** How much of a url the title shows: all of it stands in the setup. */
const TITLE_MAX = 120;

function titleOf(url: string): string {
  const short = shortUrl(url);
  return short.length > TITLE_MAX ? `${short.slice(0, TITLE_MAX)}…` : short;
}

type FoundProps = Pick<ReturnType<typeof useEndpoint>, 'read' | 'error'> & {
  endpoint: NonNullable<ReturnType<typeof useEndpoint>['endpoint']>;
  back: React.ReactNode;
};

function Found({ endpoint, read, error, back }: FoundProps) {
  return (
    <>
      <PageHead
        title={titleOf(endpoint.url)}
        back={back}
        beside={<WebhookBadge webhook={endpoint} />}
        actions={<ActionBar endpoint={endpoint} />}
      />
      <div className="flex flex-col gap-4">
        {error && <Failure error={error} retry={read} />}
        <EndpointAnswerView endpoint={endpoint} />
        <EndpointCharts endpoint={endpoint} />
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
          <LatestDeliveries endpoint={endpoint} />
          <EndpointSide endpoint={endpoint} />
        </div>
      </div>
      <EndpointDialogs endpoint={endpoint} />
    </>
  );
}
