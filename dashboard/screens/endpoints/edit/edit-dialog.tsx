import { Trans } from '@lingui/react/macro';
import { matches } from '../../../../src/domain/events/event-type';
import { Button } from '../../../parts/button';
import { FormDialog } from '../../../parts/form-dialog';
import { Answer } from '../../../parts/page';
import { Untrusted } from '../../../parts/untrusted';
import { useAction, useOffered } from '../actions';
import { EndpointFields } from '../form/endpoint-fields';
import { isReady, valuesOf } from '../form/endpoint-values';
import { useWrittenFields, writtenValues } from '../form/use-written-fields';
import { hasClientKey, hasSecrets } from '../settings/draft';
import type { EndpointDialogProps, ShownEndpoint } from '../use-endpoint';
import { useEndpointForm } from '../use-endpoint-form';
import { Conflict } from './conflict';

/** Changes the fields of an endpoint, as long as nobody else has changed it in the meantime. */
export function EditDialog({ endpoint, onClose }: EndpointDialogProps) {
  const isWritten = useWrittenFields(endpoint);
  const form = useEndpointForm({
    endpoint,
    onClose,
    valuesOf,
    inputOf: (values) => writtenValues(values, isWritten),
    saidAfter: <Trans>Saved</Trans>,
    isHeldApart: ({ eventTypes }) => !endpoint.eventTypes.every((name) => matches(eventTypes, name)),
  });
  return (
    <FormDialog
      form={form}
      wide
      title={<Trans>Edit the endpoint</Trans>}
      action={form.conflict ? undefined : <Trans>Save</Trans>}
      ready={isReady(form.values)}
      onClose={onClose}
    >
      {form.conflict && <Conflict {...form.conflict} mine={form.values} />}
      <EndpointFields form={form} isWritten={isWritten} />
      <BoundSecrets endpoint={endpoint} url={form.values.url} />
    </FormDialog>
  );
}

/** A URL at another origin needs the secrets again, which another dialog takes. */
function BoundSecrets({ endpoint, url }: { endpoint: ShownEndpoint; url: string }) {
  const [, start] = useAction();
  const isOffered = useOffered(endpoint);
  const before = new URL(endpoint.url).origin;
  const [inHeaders, inTls] = [hasSecrets(endpoint.delivery), hasClientKey(endpoint.delivery)];
  if ((!inHeaders && !inTls) || !URL.canParse(url) || new URL(url).origin === before) {
    return null;
  }
  return (
    <Answer
      tone="info"
      actions={
        <>
          {inTls && isOffered('tls') && (
            <Button onClick={() => start('tls')}>
              <Trans>TLS</Trans>
            </Button>
          )}
          {inHeaders && isOffered('headers') && (
            <Button onClick={() => start('headers')}>
              <Trans>Headers and auth</Trans>
            </Button>
          )}
        </>
      }
    >
      {!inTls ? (
        <Trans>
          Its secrets belong to <Untrusted text={before} />. Change the URL together with its headers and auth.
        </Trans>
      ) : !inHeaders ? (
        <Trans>
          Its client certificate belongs to <Untrusted text={before} />. Change the URL together with the certificate.
        </Trans>
      ) : (
        <Trans>
          Its secrets and its client certificate belong to <Untrusted text={before} />. Remove the certificate, then
          change the URL with headers and auth.
        </Trans>
      )}
    </Answer>
  );
}
