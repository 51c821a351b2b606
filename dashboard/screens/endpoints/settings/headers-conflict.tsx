import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '../../../parts/button';
import { Answer } from '../../../parts/page';
import { Untrusted } from '../../../parts/untrusted';
import type { ShownEndpoint } from '../use-endpoint';
import { AUTH_KINDS } from './words';

/** What somebody else has saved since the dialog was opened, and the choice between it and one's own changes. */
export function HeadersConflict({
  theirs: { url, delivery },
  take,
  overwrite,
}: {
  theirs: ShownEndpoint;
  take: () => void;
  overwrite: () => void;
}) {
  const { i18n } = useLingui();
  const auth = i18n._(AUTH_KINDS[delivery.auth?.kind ?? 'NONE']);
  const now = [url, ...delivery.headers.map(({ name }) => name), auth].join(', ');
  return (
    <Answer
      tone="warn"
      actions={
        <>
          <Button onClick={take}>
            <Trans>Use the current values</Trans>
          </Button>
          <Button look="primary" onClick={overwrite}>
            <Trans>Save my changes too</Trans>
          </Button>
        </>
      }
    >
      <Trans>Someone else changed this endpoint while you were editing it.</Trans>{' '}
      <Trans>
        Now: <Untrusted text={now} />
      </Trans>
    </Answer>
  );
}
