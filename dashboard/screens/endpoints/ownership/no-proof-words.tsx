import { Trans, useLingui } from '@lingui/react/macro';
import { challengeRemedy, optionsWhy } from './no-proof-remedies';

/** A sentence about an endpoint's wrong answer to a challenge, with the remedy. */
export function NoEcho({ code }: { code: string }) {
  const { i18n } = useLingui();
  const { why, what } = challengeRemedy(code);
  return (
    <>
      <Trans>No proof by webhook.challenge: {i18n._(why)}.</Trans> {i18n._(what)}
    </>
  );
}

export function NoPermission({ code }: { code: string }) {
  const { i18n } = useLingui();
  return <Trans>No proof by OPTIONS: {i18n._(optionsWhy(code))}.</Trans>;
}
