import { Trans, useLingui } from '@lingui/react/macro';
import { CopyButton } from '../../../parts/button';

/** A signing secret, which the service shows this once. */
export function SecretOnce({ secret }: { secret: string }) {
  const { t } = useLingui();
  return (
    <div>
      <p className="mb-2 text-sm">
        <Trans>
          This is the signing secret. It is shown this once: put it where your server keeps its secrets, as
          WEBHOOK_SECRET.
        </Trans>
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <code className="min-w-0 flex-1 basis-72 rounded-md border border-line-strong bg-sunken px-2.5 py-1.5 font-mono text-xs [overflow-wrap:anywhere] select-all">
          {secret}
        </code>
        <CopyButton text={secret} name={t`the secret`}>
          <Trans>Copy</Trans>
        </CopyButton>
      </div>
    </div>
  );
}
