import { Trans, useLingui } from '@lingui/react/macro';
import { optionName } from '../../../../src/domain/fields/field';
import { Button, CopyButton } from '../../../parts/button';
import { Code } from '../../../parts/code';
import { Card, Fact, Facts } from '../../../parts/page';
import { Time } from '../../../parts/time';
import { Untrusted } from '../../../parts/untrusted';
import { useWritable } from '../../../parts/viewer';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { useAction, useOffered } from '../actions';
import type { ShownEndpoint, SigningKey } from '../use-endpoint';

interface KeyPairProps {
  endpoint: ShownEndpoint;
  /** The tenant's, the newest first. */
  signingKeys: readonly SigningKey[];
}

/** Whether the key pair of the tenant signs too, and where receivers find its public keys. */
export function KeyPairCard({ endpoint, signingKeys }: KeyPairProps) {
  const { i18n } = useLingui();
  const [, start] = useAction();
  const isWritable = useWritable();
  const mayChange = useOffered(endpoint)('signing') && isWritable('signatures');
  const { signing, own } = endpoint.delivery;
  const isSigned = signing === 'SECRET_AND_KEY';
  if (!isSigned && !mayChange) {
    return null;
  }
  return (
    <Card
      title={<Trans>Key pair</Trans>}
      actions={
        mayChange && (
          <Button onClick={() => start('signing')}>
            <Trans>Change</Trans>
          </Button>
        )
      }
    >
      <Facts>
        <Fact name={i18n._(ENDPOINT_FIELDS.signing.name)}>
          {isSigned ? <Trans>by the secret and by a key pair</Trans> : <Trans>by the secret</Trans>}
          {isSigned && !own.includes(optionName('signing') as never) && (
            <span className="block text-xs text-soft">
              <Trans>default of the tenant</Trans>
            </span>
          )}
        </Fact>
        {isSigned && <PublicKeys endpoint={endpoint} signingKeys={signingKeys} />}
      </Facts>
      {isSigned && signingKeys[0] !== undefined && <HowToVerify jwksUrl={signingKeys[0].jwksUrl} />}
    </Card>
  );
}

function PublicKeys({ endpoint, signingKeys }: KeyPairProps) {
  const { t } = useLingui();
  const [, start] = useAction();
  const isOffered = useOffered(endpoint);
  const [newest] = signingKeys;
  const used = signingKeys.find(({ usedFrom }) => Date.parse(usedFrom) <= Date.now());
  return (
    <>
      {newest !== undefined && (
        <Fact name={<Trans>Public keys</Trans>}>
          <span className="flex items-start gap-1">
            <a href={newest.jwksUrl} target="_blank" rel="noopener" className="min-w-0 flex-1 [overflow-wrap:anywhere]">
              <Untrusted text={newest.jwksUrl} />
            </a>
            <span className="-my-1.5">
              <CopyButton text={newest.jwksUrl} name={t`the address`} />
            </span>
          </span>
        </Fact>
      )}
      <Fact name={<Trans>Keys</Trans>}>
        <ul>
          {signingKeys.map((key) => (
            <li key={key.kid}>
              <code className="font-mono text-xs [overflow-wrap:anywhere]">{key.kid}</code>
              <span className="block text-xs text-soft">
                <KeyTimes signingKey={key} isUsed={key === used} />
              </span>
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
      </Fact>
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
    <details className="mt-3">
      <summary className="cursor-pointer text-sm text-soft">
        <Trans>Verify without the secret</Trans>
      </summary>
      <div className="mt-2">
        <Code text={code} name={t`the code`} />
      </div>
    </details>
  );
}
