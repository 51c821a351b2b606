import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { useQuery } from 'urql';
import type { ConverterProofFragment, EventTypeWholeFragment } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { Answer, Card, Failure } from '../../parts/page';
import { useAddress } from '../../parts/place';
import { ConverterSteps } from '../../parts/schema/converter-steps';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { useAllowed } from '../../parts/viewer';
import { count } from '../../text/numbers';
import { CONVERTER_PROOF } from './documents';

/** The converter of the version that is shown, and whether it fits. Nothing for a type with one version. */
export function ConverterCard({ name, versions }: { name: string; versions: EventTypeWholeFragment['versions'] }) {
  const [address] = useAddress();
  const mayProve = useAllowed('platform:read');
  const shown = versions.find(({ version }) => String(version) === address['version']) ?? versions[0];
  if (shown === undefined || shown.version === 1) {
    return null;
  }
  const { version, converter, converterFrom } = shown;
  return (
    <Card title={<Trans>Converter</Trans>}>
      <p className="mb-2 text-xs text-soft">
        <Trans>
          From version {version} to {version - 1}
        </Trans>
      </p>
      {converter == null ? (
        <p className="text-sm text-soft">
          <Trans>No converter: endpoints pinned to an older version get payloads of this one.</Trans>
        </p>
      ) : (
        <div className="flex flex-col gap-2">
          <ConverterSteps steps={converter} />
          {converterFrom != null && (
            <p className="text-xs text-soft">
              <Trans>
                For events since <Time value={converterFrom} absolute />
              </Trans>
            </p>
          )}
          {mayProve && <Proof key={`${name} ${version}`} eventType={name} version={version} />}
        </div>
      )}
    </Card>
  );
}

function Proof({ eventType, version }: { eventType: string; version: number }) {
  const [isAsked, setAsked] = useState(false);
  const [{ data, error, fetching }, again] = useQuery({
    query: CONVERTER_PROOF,
    variables: { eventType, version },
    pause: !isAsked,
    requestPolicy: 'network-only',
  });
  if (error) {
    return <Failure error={error} retry={again} />;
  }
  const proof = data?.converterProof;
  return proof == null ? (
    <div>
      <Button onClick={() => setAsked(true)} disabled={fetching}>
        <Trans>Try it with events of the last day</Trans>
      </Button>
    </div>
  ) : (
    <ProofResult proof={proof} />
  );
}

/** The number of events that fit, and examples that do not. */
function ProofResult({ proof }: { proof: ConverterProofFragment }) {
  const { fits, complete, sampleIssues, eventsJudged, eventsFit, misfits } = proof;
  return (
    <Answer tone={fits ? 'info' : 'warn'}>
      <Trans>
        Fits {count(eventsFit)} of {count(eventsJudged)} events of the last day.
      </Trans>{' '}
      {(sampleIssues ?? []).length > 0 && <Trans>The sample does not fit.</Trans>}{' '}
      {!complete && <Trans>The time was over before all were looked at.</Trans>}
      <ul className="list-disc ps-5">
        {(sampleIssues ?? []).map((issue) => (
          <li key={issue.path + issue.detail}>
            <Trans>Sample:</Trans> <Untrusted text={`${issue.path} ${issue.detail}`} />
          </li>
        ))}
        {misfits.map(({ eventId, tenant, issues }) => (
          <li key={eventId}>
            <code className="font-mono text-xs">{eventId}</code> {tenant && <Untrusted text={tenant.name} />}:{' '}
            <Untrusted text={issues.map(({ path, detail }) => `${path} ${detail}`).join('; ')} />
          </li>
        ))}
      </ul>
    </Answer>
  );
}
