import { Trans, useLingui } from '@lingui/react/macro';
import { Code } from '../../../parts/code';
import { StateBadge } from '../../../parts/status';
import { Time } from '../../../parts/time';
import { Value, Values } from '../one/group';
import { NoEcho, NoPermission } from './no-proof-words';
import type { Verify } from './use-verify';
import { VERIFICATION_METHODS, VERIFICATION_STATES } from './words';

/** How the proof stands, what the endpoint was asked, and what it answered. */
export function OwnershipFacts({ verify: { verification, isUnverified } }: { verify: Verify }) {
  const { i18n } = useLingui();
  if (verification === undefined) {
    return null;
  }
  const { status, checkedAt, optionsCode, challengeCode, method, nextAt } = verification;
  return (
    <Values>
      <Value name={<Trans>State</Trans>}>
        <StateBadge state={VERIFICATION_STATES[status]} />
      </Value>
      {isUnverified ? (
        <Value wide name={<Trans>Asked with</Trans>}>
          <Trans>
            OPTIONS, then a signed event <code className="font-mono text-xs">webhook.challenge</code>
          </Trans>
        </Value>
      ) : (
        method != null && (
          <Value wide name={<Trans>Proved by</Trans>}>
            {i18n._(VERIFICATION_METHODS[method])}
          </Value>
        )
      )}
      {checkedAt != null && (
        <Value wide={isUnverified} name={<Trans>Last answer</Trans>}>
          <Time value={checkedAt} />
          {isUnverified && (
            <span className="flex flex-col gap-1 text-xs text-bad">
              {challengeCode != null && (
                <span>
                  <NoEcho code={challengeCode} />
                </span>
              )}
              {optionsCode != null && (
                <span>
                  <NoPermission code={optionsCode} />
                </span>
              )}
            </span>
          )}
        </Value>
      )}
      {isUnverified && nextAt != null && (
        <Value name={<Trans>Asked again</Trans>}>
          <Time value={nextAt} next />
        </Value>
      )}
    </Values>
  );
}

const CHALLENGE = '{"challenge": "…"}';
const ANSWER = `const result = webhook.verify(body, headers);
if (result.ok && result.event === 'webhook.challenge') {
  return Response.json(result.payload); // {"challenge": "…"}
}`;

/** Instructions for a server that is to prove itself. */
export function HowToProve() {
  const { t } = useLingui();
  return (
    <div className="flex flex-col gap-2 text-sm text-soft">
      <p>
        <Trans>
          We send a signed event <code className="font-mono text-xs">webhook.challenge</code>. Your server verifies its
          signature, and answers 200 with the challenge.
        </Trans>{' '}
        <Trans>
          The package <code className="font-mono text-xs">@hookwright/receiver</code> does this by itself.
        </Trans>
      </p>
      <Code text={CHALLENGE} name={t`the answer`} />
      <p>
        <Trans>This is the body of our request: send it back as it is. With the package, in TypeScript:</Trans>
      </p>
      <Code text={ANSWER} name={t`the code`} />
      <p>
        <Trans>
          Or answer our OPTIONS request with 200 and the header{' '}
          <code className="font-mono text-xs">WebHook-Allowed-Origin</code>. Its value is that of{' '}
          <code className="font-mono text-xs">WebHook-Request-Origin</code>.
        </Trans>
      </p>
    </div>
  );
}
