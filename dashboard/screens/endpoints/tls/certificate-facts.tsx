import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { endingOf } from '../../../../src/domain/notices/certificate-ends';
import { Time, useClock } from '../../../parts/time';
import { Untrusted } from '../../../parts/untrusted';
import type { Options } from '../settings/draft';

type Tls = NonNullable<Options['tls']>;

/** The authorities that may sign the endpoint's certificate. */
export function Authorities({ ca: { subjects, endsAt } }: { ca: NonNullable<Tls['ca']> }) {
  return (
    <>
      <ul>
        {subjects.map((subject) => (
          <li key={subject}>
            <Untrusted text={subject} />
          </li>
        ))}
      </ul>
      <ValidUntil endsAt={endsAt} />
    </>
  );
}

/** Subject, issuer and fingerprint of a certificate. */
export function ClientCertificate({ certificate }: { certificate: NonNullable<Tls['clientCertificate']> }) {
  const { subject, issuer, serial, fingerprint, endsAt } = certificate;
  return (
    <>
      <Untrusted text={subject} />
      <ValidUntil endsAt={endsAt} />
      <details className="mt-1 text-xs text-soft">
        <summary className="cursor-pointer">
          <Trans>Issuer and fingerprint</Trans>
        </summary>
        <dl className="mt-1 flex flex-col gap-1">
          <Detail name={<Trans>Issuer</Trans>}>
            <Untrusted text={issuer} />
          </Detail>
          <Detail name={<Trans>Serial number</Trans>}>
            <code className="font-mono">{serial}</code>
          </Detail>
          <Detail name={<Trans>SHA-256 fingerprint</Trans>}>
            <code className="font-mono">{fingerprint}</code>
          </Detail>
        </dl>
      </details>
    </>
  );
}

function Detail({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="text-ink [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}

const STEP_MS = 60_000;
const TONES = { over: 'text-bad', soon: 'text-warn', later: 'text-soft' } as const;

function ValidUntil({ endsAt }: { endsAt: string }) {
  const ending = endingOf(
    endsAt,
    useClock((now) => Math.floor(now / STEP_MS) * STEP_MS),
  );
  return (
    <span className={`block text-xs ${TONES[ending]}`}>
      {ending === 'over' ? (
        <Trans>
          expired <Time value={endsAt} />
        </Trans>
      ) : ending === 'soon' ? (
        <Trans>
          expires <Time value={endsAt} />
        </Trans>
      ) : (
        <Trans>
          valid until <Time value={endsAt} absolute />
        </Trans>
      )}
    </span>
  );
}
