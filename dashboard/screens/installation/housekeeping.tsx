import { Plural, Trans } from '@lingui/react/macro';
import type { InstallationKeptQuery } from '../../api/generated/graphql';
import { Card, Fact, Facts } from '../../parts/page';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';

/** The work of every hour, and the encryption keys in use. */
export function Housekeeping({
  kept: { housekeeping, encryptionKeys },
}: {
  kept: NonNullable<InstallationKeptQuery['installation']>;
}) {
  return (
    <Card title={<Trans>Housekeeping and encryption keys</Trans>}>
      <Facts>
        {housekeeping && (
          <>
            <Fact name={<Trans>Last run</Trans>}>
              {housekeeping.succeededAt == null ? <Trans>not yet</Trans> : <Time value={housekeeping.succeededAt} />}
            </Fact>
            <Fact name={<Trans>Next run</Trans>}>
              <Time value={housekeeping.nextAt} />
            </Fact>
            {housekeeping.error != null && (
              <Fact name={<Trans>Last failure</Trans>}>
                <span className="text-bad">
                  <Untrusted text={housekeeping.error} />
                </span>{' '}
                {housekeeping.failedAt != null && <Time value={housekeeping.failedAt} />}
              </Fact>
            )}
          </>
        )}
        {encryptionKeys.map(({ kid, tenants }) => (
          <Fact key={kid} name={<Trans>Encryption key</Trans>}>
            <code className="font-mono text-xs">
              <Untrusted text={kid} />
            </code>{' '}
            <span className="text-soft">
              <Plural
                value={tenants}
                one="protects the secrets of # tenant"
                other="protects the secrets of # tenants"
              />
            </span>
          </Fact>
        ))}
      </Facts>
    </Card>
  );
}
