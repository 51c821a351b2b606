import { Trans } from '@lingui/react/macro';
import { Folded, Group } from '../one/group';
import type { ShownEndpoint } from '../use-endpoint';
import { HowToProve, OwnershipFacts } from './ownership-facts';
import { useVerify } from './use-verify';
import { VerifyButton, VerifyFailure } from './verify';

/** Whether an endpoint has proved that it wants its deliveries. Endpoints that were never asked have no such group. */
export function OwnershipGroup({ endpoint }: { endpoint: ShownEndpoint }) {
  const verify = useVerify(endpoint);
  if (verify.verification === undefined) {
    return null;
  }
  return (
    <Group title={<Trans>Ownership</Trans>} actions={<VerifyButton verify={verify} />}>
      <OwnershipFacts verify={verify} />
      <VerifyFailure verify={verify} />
      {verify.isUnverified && (
        <div className="mt-2">
          <Folded summary={<Trans>How your server proves it</Trans>}>
            <HowToProve />
          </Folded>
        </div>
      )}
    </Group>
  );
}
