import { Trans, useLingui } from '@lingui/react/macro';
import { JsonView } from '../../parts/json-view';
import { Time } from '../../parts/time';

/** The payload of an event. @param body null: the answer could not have it @param erasedAt null: it was not erased */
export function EventPayload({
  body,
  erasedAt,
}: {
  body: string | null | undefined;
  erasedAt: string | null | undefined;
}) {
  const { t } = useLingui();
  if (erasedAt != null) {
    return (
      <p className="text-sm text-soft">
        <Trans>
          Erased: <Time value={erasedAt} absolute />
        </Trans>
      </p>
    );
  }
  return body == null ? (
    <p className="text-sm text-soft">
      <Trans>The payload is too large to show.</Trans>
    </p>
  ) : (
    <JsonView text={body} name={t`payload`} />
  );
}

/** The state before the change that an event reports. */
export function FormerState({ body }: { body: string }) {
  const { t } = useLingui();
  return (
    <>
      <h3 className="mt-4 mb-1 text-sm font-medium">
        <Trans>Before the change</Trans>
      </h3>
      <JsonView text={body} name={t`state before the change`} />
    </>
  );
}
