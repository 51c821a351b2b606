import { Trans, useLingui } from '@lingui/react/macro';
import { JsonView } from '../../parts/json-view';

/** The payload of an event. @param body null: the answer could not have it */
export function EventPayload({ body }: { body: string | null | undefined }) {
  const { t } = useLingui();
  return body == null ? (
    <p className="text-sm text-soft">
      <Trans>The payload is too large to show.</Trans>
    </p>
  ) : (
    <JsonView text={body} name={t`payload`} />
  );
}
