import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { SchemaImpactFragment } from '../../api/generated/graphql';
import { Answer } from '../../parts/page';
import { Link } from '../../parts/place';
import { Untrusted } from '../../parts/untrusted';
import { count } from '../../text/numbers';
import { brokenPathText } from '../../text/option-warnings';
import { TenantLink } from '../installation/of-tenant';

type Tenant = SchemaImpactFragment['brokenOptions'][number]['tenant'];

/** What another schema breaks: events like those of late, and options of endpoints, each with the way to it. */
export function SchemaImpact({ impact }: { impact: SchemaImpactFragment }) {
  const { eventsLookedAt, eventsRefused, brokenOptions, brokenOptionCount } = impact;
  const looked = count(eventsLookedAt);
  const more = brokenOptionCount - brokenOptions.length;
  return (
    <Answer tone={impact.breaks ? 'bad' : 'warn'}>
      <p className="font-medium">
        {impact.breaks ? (
          <Trans>The new schema breaks events or endpoints.</Trans>
        ) : (
          <Trans>Nothing was found to break.</Trans>
        )}
      </p>
      {!impact.complete && (
        <p className="text-sm text-soft">
          <Plural
            value={eventsLookedAt}
            one="There may be more: the time was over after # event."
            other="There may be more: the time was over after # events."
          />
        </p>
      )}
      {eventsRefused > 0 && (
        <Part
          title={
            <Plural
              value={eventsRefused}
              one={`# of the last ${looked} events would be refused`}
              other={`# of the last ${looked} events would be refused`}
            />
          }
        >
          {impact.refusedEvents.map(({ tenant, eventId, issues }) => (
            <li key={`${tenant?.id} ${eventId}`}>
              <Place tenant={tenant} kind="events" id={eventId} /> <IssueTexts issues={issues} />
            </li>
          ))}
        </Part>
      )}
      {brokenOptionCount > 0 && (
        <Part
          title={
            <Plural
              value={brokenOptionCount}
              one="# option of an endpoint no longer fits"
              other="# options of endpoints no longer fit"
            />
          }
        >
          {brokenOptions.map((broken) => (
            <li key={`${broken.webhookId} ${broken.option} ${broken.message}`}>
              <BrokenOption {...broken} />
            </li>
          ))}
          {more > 0 && (
            <li>
              <Trans>{count(more)} more</Trans>
            </li>
          )}
        </Part>
      )}
    </Answer>
  );
}

function Part({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <>
      <h3 className="mt-2 text-sm font-medium">{title}</h3>
      <ul className="mt-1 flex max-h-64 flex-col gap-1 overflow-auto text-sm text-soft">{children}</ul>
    </>
  );
}

function BrokenOption({ tenant, webhookId, option, ...fault }: SchemaImpactFragment['brokenOptions'][number]) {
  const { t, i18n } = useLingui();
  const names = {
    FILTER: t`Filter`,
    SHAPE: t`Shape`,
    TEXT: t`Text`,
    TEMPLATE: t`Template`,
    ORDERING_KEY: t`Ordering key`,
  };
  return (
    <>
      <Place tenant={tenant} kind="endpoints" id={webhookId} /> {names[option]}:{' '}
      <Untrusted text={brokenPathText(fault, i18n)} />
    </>
  );
}

function IssueTexts({ issues }: { issues: readonly { path: string; detail: string }[] }) {
  return issues.map(({ path, detail }) => (
    <span key={`${path} ${detail}`} className="me-2">
      <code className="font-mono text-xs">
        <Untrusted text={path} />
      </code>{' '}
      <Untrusted text={detail} />
    </span>
  ));
}

/** An event or an endpoint, and its tenant. The number follows the prefix of the id. */
function Place({ tenant, kind, id }: { tenant: Tenant; kind: 'events' | 'endpoints'; id: string }) {
  const { t } = useLingui();
  const number = id.replace(/^\D+/, '');
  const name = kind === 'events' ? t`Event ${number}` : t`Endpoint ${number}`;
  return (
    <>
      {tenant ? (
        <Link
          to={`/tenants/${tenant.databaseId}/${kind}/${number}`}
          className="font-medium text-ink no-underline hover:underline"
        >
          {name}
        </Link>
      ) : (
        name
      )}
      {' · '}
      <TenantLink tenant={tenant} />
      {' · '}
    </>
  );
}
