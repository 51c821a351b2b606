import { Trans, useLingui } from '@lingui/react/macro';
import { Time } from '../../../parts/time';
import { Untrusted } from '../../../parts/untrusted';
import { tokenFailureWhy } from '../../../text/token-failures';
import { Value } from '../one/group';
import type { Options } from './draft';

type Auth = NonNullable<Options['auth']>;

/** Where the tokens of an endpoint come from, and what they are asked for. */
export function OAuthValues({ auth: { tokenUrl, scope, audience } }: { auth: Auth }) {
  return (
    <>
      <Value wide name={<Trans>Token URL</Trans>}>
        <Untrusted text={tokenUrl ?? ''} />
      </Value>
      {scope != null && (
        <Value name={<Trans>Scope</Trans>}>
          <Untrusted text={scope} />
        </Value>
      )}
      {audience != null && (
        <Value name={<Trans>Audience</Trans>}>
          <Untrusted text={audience} />
        </Value>
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
