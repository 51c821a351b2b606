import { Trans, useLingui } from '@lingui/react/macro';
import { FormDialog } from '../../../parts/form-dialog';
import { useOffered } from '../actions';
import { UrlField } from '../form/url-field';
import type { EndpointDialogProps } from '../use-endpoint';
import { useEndpointForm } from '../use-endpoint-form';
import { changeOf, draftOf, hasClientKey, hasSecrets } from './draft';
import { HeadersConflict } from './headers-conflict';
import { lackOf } from './lack';
import { RequestFields } from './request-fields';

/** Changes the method, the headers and the auth of an endpoint, and its URL, to whose origin their secrets belong. */
export default function HeadersDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { i18n } = useLingui();
  const mayMove = useOffered(endpoint)('edit') && hasSecrets(endpoint.delivery) && !hasClientKey(endpoint.delivery);
  const form = useEndpointForm({
    endpoint,
    onClose,
    valuesOf: ({ url, delivery }) => ({ url, delivery: draftOf(delivery) }),
    inputOf: ({ url, delivery }) => ({ ...(url === endpoint.url ? {} : { url }), delivery: changeOf(delivery) }),
    saidAfter: <Trans>Saved</Trans>,
  });
  const { value: draft, onChange } = form.field('delivery');
  const lack = lackOf(draft);
  return (
    <FormDialog
      form={form}
      wide
      title={<Trans>Method, headers and auth</Trans>}
      action={form.conflict ? undefined : <Trans>Save</Trans>}
      refused={lack && i18n._(lack)}
      onClose={onClose}
    >
      {form.conflict && <HeadersConflict {...form.conflict} />}
      <p className="text-sm text-soft">
        <Trans>Secrets are only written. They stay with the origin of the URL that they were set for.</Trans>{' '}
        {mayMove && <Trans>For another origin change the URL, and enter them again.</Trans>}
      </p>
      {mayMove && <UrlField {...form.field('url')} autoFocus={false} />}
      <RequestFields draft={draft} issues={form.issues('delivery')} onChange={onChange} />
    </FormDialog>
  );
}
