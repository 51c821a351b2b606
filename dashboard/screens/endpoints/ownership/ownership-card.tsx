import { Trans } from '@lingui/react/macro';
import { Card } from '../../../parts/page';
import type { ShownEndpoint } from '../use-endpoint';
import { HowToProve, OwnershipFacts, VerifyButton, VerifyFailure } from './ownership-facts';
import { useVerify } from './use-verify';

/** Whether an endpoint has proved that it wants its deliveries. Endpoints that were never asked have no such card. */
export function OwnershipCard({ endpoint }: { endpoint: ShownEndpoint }) {
  const verify = useVerify(endpoint);
  if (verify.verification === undefined) {
    return null;
  }
  return (
    <Card title={<Trans>Ownership</Trans>} actions={<VerifyButton verify={verify} />}>
      <OwnershipFacts verify={verify} />
      <VerifyFailure verify={verify} />
      {verify.isUnverified && (
        <details className="mt-3">
          <summary className="cursor-pointer text-sm text-soft">
            <Trans>How your server proves it</Trans>
          </summary>
          <div className="mt-2">
            <HowToProve />
          </div>
        </details>
      )}
    </Card>
  );
}
