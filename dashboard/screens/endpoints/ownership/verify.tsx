import { Trans } from '@lingui/react/macro';
import { Button } from '../../../parts/button';
import { CheckFailure } from '../testing/check';
import type { Verify } from './use-verify';

/** Why the endpoint was not asked. */
export function VerifyFailure({ verify: { error } }: { verify: Verify }) {
  return error && <CheckFailure error={error} />;
}

export function VerifyButton({ verify }: { verify: Verify }) {
  return (
    verify.isOffered && (
      <Button onClick={() => void verify.ask()} disabled={verify.busy}>
        <Trans>Ask again</Trans>
      </Button>
    )
  );
}
