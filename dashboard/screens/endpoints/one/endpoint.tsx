import { useLingui } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { markedExternalId } from '../../../../src/domain/ids/external-id';
import { endpointLabel, labelOf } from '../../../parts/cells';
import { OnePage } from '../../../parts/one-page';
import { WebhookBadge } from '../../../parts/status';
import { whenWanted } from '../../../parts/when-wanted';
import { useAction, useTab } from '../actions';
import { useKeys } from '../ordering/use-keys';
import { useEndpoint } from '../use-endpoint';
import { ActionBar } from './action-bar';
import { Activity } from './activity';
import { Tabs } from './tabs';

/** They are not needed before the first figure. */
const ByExternalId = whenWanted(() => import('./by-external-id'));
const Settings = whenWanted(() => import('./settings'));
const EndpointDialogs = whenWanted(() => import('./endpoint-dialogs'));

/** One endpoint: what it does, and how it is set up. */
export default function Endpoint() {
  const { number } = useParams({ strict: false }) as { number: string };
  const externalId = markedExternalId(number);
  return externalId === null ? <EndpointPage number={number} /> : <ByExternalId wanted externalId={externalId} />;
}

function EndpointPage({ number }: { number: string }) {
  const { t } = useLingui();
  const { endpoint, inherited, signingKeys, limits, error, read } = useEndpoint(number);
  const keys = useKeys(`wh_${number}`, endpoint);
  const tab = useTab();
  const [action] = useAction();
  return (
    <OnePage
      title={t`Endpoint ${number}`}
      back={{ to: '/endpoints', name: t`Endpoints` }}
      thing={endpoint && keys && { endpoint, keys }}
      error={error}
      retry={read}
      head={({ endpoint: one }) => ({
        title: titleOf(one),
        badges: <WebhookBadge webhook={one} />,
        actions: <ActionBar endpoint={one} />,
      })}
    >
      {(one) => (
        <>
          <Tabs number={one.endpoint.databaseId} />
          {tab === 'activity' && <Activity {...one} limits={limits} />}
          {tab === 'settings' && (
            <Settings wanted endpoint={one.endpoint} inherited={inherited} signingKeys={signingKeys} />
          )}
          <EndpointDialogs wanted={action !== undefined} endpoint={one.endpoint} />
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
