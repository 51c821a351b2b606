import { Trans } from '@lingui/react/macro';
import { HowToProve, OwnershipFacts } from './ownership-facts';
import { useVerify } from './use-verify';
import { VerifyButton, VerifyFailure } from './verify';

/** Below the secret of a new endpoint: what its server must do before it gets deliveries, and whether it has. */
export function NewOwnership({ endpoint }: { endpoint: { id: string; disabledReason?: string | null } }) {
  const verify = useVerify(endpoint, true);
  return (
    <section className="flex flex-col gap-2">
      <h3 className="mt-2 text-sm font-semibold">
        <Trans>Prove the endpoint</Trans>
      </h3>
      <p className="text-sm text-soft">
        <Trans>Deliveries are held until your server has proved that it wants them.</Trans>{' '}
        <Trans>Put the secret into your server first. We ask again by ourselves for 15 hours.</Trans>
      </p>
      <HowToProve />
      <OwnershipFacts verify={verify} />
      <VerifyFailure verify={verify} />
      <div>
        <VerifyButton verify={verify} />
      </div>
    </section>
  );
}
