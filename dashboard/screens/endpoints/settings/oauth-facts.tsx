import { Trans, useLingui } from '@lingui/react/macro';
import { Fact } from '../../../parts/page';
import { Time } from '../../../parts/time';
import { Untrusted } from '../../../parts/untrusted';
import { tokenFailureWhy } from '../../../text/token-failures';
import type { Options } from './draft';

type Auth = NonNullable<Options['auth']>;

/** Where the tokens of an endpoint come from, and what they are asked for. */
export function OAuthFacts({ auth: { tokenUrl, scope, audience } }: { auth: Auth }) {
  return (
    <>
      <Fact name={<Trans>Token URL</Trans>}>
        <Untrusted text={tokenUrl ?? ''} />
      </Fact>
      {scope != null && (
        <Fact name={<Trans>Scope</Trans>}>
          <Untrusted text={scope} />
        </Fact>
      )}
      {audience != null && (
        <Fact name={<Trans>Audience</Trans>}>
          <Untrusted text={audience} />
        </Fact>
      )}
    </>
  );
}

/** The latest time that no token came, and why. */
export function TokenFailure({ failure: { at, code } }: { failure: NonNullable<Auth['lastFailure']> }) {
  const { i18n } = useLingui();
  return (
    <span className="block text-xs text-bad">
      <Trans>
        No token <Time value={at} />: {i18n._(tokenFailureWhy(code))}.
      </Trans>
    </span>
  );
}
