import { Trans, useLingui } from '@lingui/react/macro';
import { Button, CopyButton } from '../../../parts/button';
import { Code } from '../../../parts/code';
import { Time } from '../../../parts/time';
import { Untrusted } from '../../../parts/untrusted';
import { useAction, useOffered } from '../actions';
import { Folded, Remark, Value } from '../one/group';
import type { ShownEndpoint, SigningKey } from '../use-endpoint';

/** Where receivers find the public keys of the tenant, and which of them signs. */
export function PublicKeys({
  endpoint,
  signingKeys,
}: {
  endpoint: ShownEndpoint;
  /** The tenant's, the newest first. */
  signingKeys: readonly SigningKey[];
}) {
  const { t } = useLingui();
  const [, start] = useAction();
  const isOffered = useOffered(endpoint);
  const [newest] = signingKeys;
  const used = signingKeys.find(({ usedFrom }) => Date.parse(usedFrom) <= Date.now());
  return (
    <>
      {newest !== undefined && (
        <Value wide name={<Trans>Public keys</Trans>}>
          <span className="flex items-start gap-1">
            <a
              href={newest.jwksUrl}
              target="_blank"
              rel="noopener"
              className="min-w-0 leading-6 [overflow-wrap:anywhere]"
            >
              <Untrusted text={newest.jwksUrl} />
            </a>
            <span className="-my-1.5">
              <CopyButton text={newest.jwksUrl} name={t`the address`} />
            </span>
          </span>
          <HowToVerify jwksUrl={newest.jwksUrl} />
        </Value>
      )}
      <Value wide name={<Trans>Keys</Trans>}>
        <ul>
          {signingKeys.map((key) => (
            <li key={key.kid}>
              <code className="font-mono text-xs [overflow-wrap:anywhere]">{key.kid}</code>{' '}
              <Remark>
                <KeyTimes signingKey={key} isUsed={key === used} />
              </Remark>
            </li>
          ))}
        </ul>
        {isOffered('rotateKey') && (
          <div className="mt-1.5">
            <Button onClick={() => start('rotateKey')}>
              <Trans>Rotate the key pair</Trans>
            </Button>
          </div>
        )}
      </Value>
    </>
  );
}

function KeyTimes({ signingKey: { usedFrom, endsAt }, isUsed }: { signingKey: SigningKey; isUsed: boolean }) {
  if (isUsed) {
    return <Trans>signs now</Trans>;
  }
  return endsAt == null ? (
    <Trans>
      signs from <Time value={usedFrom} absolute />
    </Trans>
  ) : (
    <Trans>
      published until <Time value={endsAt} absolute />
    </Trans>
  );
}

function HowToVerify({ jwksUrl }: { jwksUrl: string }) {
  const { t } = useLingui();
  const code = `import { verify } from '@hookwright/receiver';

const result = await verify(rawBody, headers, {
  jwks: '${jwksUrl}',
});`;
  return (
    <Folded summary={<Trans>Verify without the secret</Trans>}>
      <Code text={code} name={t`the code`} />
    </Folded>
  );
}
