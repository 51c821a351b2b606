import { Trans, useLingui } from '@lingui/react/macro';
import { Untrusted } from '../../../parts/untrusted';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { BriefConflict } from '../brief-conflict';
import type { ShownEndpoint } from '../use-endpoint';
import { authKindOf } from './draft';
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
  const auth = i18n._(AUTH_KINDS[authKindOf(delivery.auth)]);
  const callback = delivery.callback ? [i18n._(ENDPOINT_FIELDS.callback.name)] : [];
  const now = [`${delivery.method} ${url}`, ...callback, ...delivery.headers.map(({ name }) => name), auth].join(', ');
  return (
    <BriefConflict take={take} overwrite={overwrite} action={<Trans>Save my changes too</Trans>}>
      {' '}
      <Trans>
        Now: <Untrusted text={now} />
      </Trans>
    </BriefConflict>
  );
}
