import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { useQuery } from 'urql';
import type { OlderVersionsQuery } from '../../../api/generated/graphql';
import { Button } from '../../../parts/button';
import { JsonView } from '../../../parts/json-view';
import { Failure } from '../../../parts/page';
import { ConverterSteps } from '../../../parts/schema/converter-steps';
import { plainUntrusted } from '../../../parts/untrusted';
import { useAllowed } from '../../../parts/viewer';
import { BOTH_VERSIONS, OLDER_VERSIONS } from './documents';

type OlderVersion = NonNullable<OlderVersionsQuery['webhook']>['olderVersions'][number];

/** The release that an endpoint is built for, what has changed since, and both forms of its newest event. */
export function PinnedRelease({ id, release }: { id: string; release: string }) {
  const [{ data }] = useQuery({ query: OLDER_VERSIONS, variables: { id } });
  const [isOpen, setOpen] = useState(false);
  const mayRead = useAllowed('events:read');
  const older = data?.webhook?.olderVersions ?? [];
  const newest = data?.releases?.[0]?.name;
  return (
    <section className="mt-2 flex min-w-0 flex-col gap-2 text-sm">
      <p>
        <Trans>Built for release {plainUntrusted(release)}.</Trans>{' '}
        {newest !== undefined && newest !== release && <Trans>The newest one is {plainUntrusted(newest)}.</Trans>}{' '}
        {data !== undefined && older.length === 0 && (
          <span className="text-soft">
            <Trans>No event type of this endpoint has changed since.</Trans>
          </span>
        )}
      </p>
      {older.map((type) => (
        <Changed key={type.eventType} type={type} />
      ))}
      {older.length > 0 && mayRead && !isOpen && (
        <div>
          <Button onClick={() => setOpen(true)}>
            <Trans>Compare both bodies</Trans>
          </Button>
        </div>
      )}
      {isOpen && <BothBodies id={id} release={release} types={older.map(({ eventType }) => eventType)} />}
    </section>
  );
}

function Changed({ type: { eventType, newest, sent, steps } }: { type: OlderVersion }) {
  return (
    <details>
      <summary className="cursor-pointer leading-6">
        <code className="font-mono text-xs">{plainUntrusted(eventType)}</code>{' '}
        <span className="text-soft">
          <Trans>
            is emitted in version {newest}, and sent in version {sent}
          </Trans>
        </span>
      </summary>
      <ConverterSteps steps={steps} />
    </details>
  );
}

function BothBodies({ id, release, types }: { id: string; release: string; types: string[] }) {
  const { t } = useLingui();
  const about = { webhookId: id, eventTypes: types, last: 1 };
  const variables = {
    pinned: { ...about, content: { release, filter: null } },
    newest: { ...about, content: { release: null, filter: null } },
  };
  const [{ data, error }, again] = useQuery({ query: BOTH_VERSIONS, variables, requestPolicy: 'network-only' });
  const [pinned, newest] = [data?.pinned?.samples[0], data?.newest?.samples[0]];
  if (error) {
    return <Failure error={error} retry={again} />;
  }
  if (data !== undefined && pinned === undefined) {
    return (
      <p className="text-soft">
        <Trans>No event of these types yet.</Trans>
      </p>
    );
  }
  return (
    <div className="grid min-w-0 gap-4 lg:grid-cols-2">
      {[
        { key: 'pinned', title: t`Sent now`, body: pinned?.body },
        { key: 'newest', title: t`In the newest versions`, body: newest?.body },
      ].map(({ key, title, body }) => (
        <section key={key} className="min-w-0">
          <h3 className="mb-1 text-xs text-soft">{title}</h3>
          {body != null && <JsonView text={pretty(body)} name={title} />}
        </section>
      ))}
    </div>
  );
}

/** JSON with lines; another text as it is. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
