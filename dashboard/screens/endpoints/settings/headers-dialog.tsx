import { Trans, useLingui } from '@lingui/react/macro';
import { FormDialog } from '../../../parts/form-dialog';
import { OtherIssues } from '../../../parts/other-issues';
import { useWritable } from '../../../parts/viewer';
import { useOffered } from '../actions';
import { UrlField } from '../form/url-field';
import type { EndpointDialogProps } from '../use-endpoint';
import { useEndpointForm } from '../use-endpoint-form';
import { AuthFields } from './auth-fields';
import { changeOf, draftOf, hasClientKey, hasSecrets, lacksClientSecret, lacksPassword, setHeaders } from './draft';
import { HeaderRows } from './header-rows';
import { HeadersConflict } from './headers-conflict';
import { MethodField } from './method-field';

/** Changes the method, the headers and the auth of an endpoint, and its URL, to whose origin their secrets belong. */
export default function HeadersDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { t } = useLingui();
  const isWritable = useWritable();
  const mayMove = useOffered(endpoint)('edit') && hasSecrets(endpoint.delivery) && !hasClientKey(endpoint.delivery);
  const form = useEndpointForm({
    endpoint,
    onClose,
    valuesOf: ({ url, delivery }) => ({ url, delivery: draftOf(delivery) }),
    inputOf: ({ url, delivery }) => ({ ...(url === endpoint.url ? {} : { url }), delivery: changeOf(delivery) }),
    saidAfter: <Trans>The endpoint is changed.</Trans>,
  });
  const { value: draft, onChange } = form.field('delivery');
  const issues = form.issues('delivery');
  const sent = setHeaders(draft);
  const others = issues.filter(({ path }) => path[0] !== 'auth' && typeof path[1] !== 'number');
  return (
    <FormDialog
      form={form}
      wide
      title={<Trans>Method, headers and auth</Trans>}
      action={form.conflict ? undefined : <Trans>Save</Trans>}
      refused={
        lacksPassword(draft)
          ? t`Enter the password. For none, choose “User name without a password”.`
          : lacksClientSecret(draft)
            ? t`Enter the client secret.`
            : undefined
      }
      onClose={onClose}
    >
      {form.conflict && <HeadersConflict {...form.conflict} />}
      <p className="text-sm text-soft">
        <Trans>Secrets are only written. They stay with the origin of the URL that they were set for.</Trans>{' '}
        {mayMove && <Trans>For another origin change the URL, and enter them again.</Trans>}
      </p>
      {mayMove && <UrlField {...form.field('url')} autoFocus={false} />}
      {isWritable('headers') && (
        <MethodField method={draft.method} onChange={(method) => onChange({ ...draft, method })} />
      )}
      {isWritable('headers') && (
        <HeaderRows
          rows={draft.headers}
          refusalOf={(row) =>
            issues.find(({ path }) => path[0] === 'setHeaders' && path[1] === sent.indexOf(row))?.detail
          }
          onChange={(headers) => onChange({ ...draft, headers })}
        />
      )}
      {isWritable('auth') && (
        <AuthFields
          auth={draft.auth}
          stored={endpoint.delivery.auth}
          issues={issues.filter(({ path }) => path[0] === 'auth')}
          onChange={(auth) => onChange({ ...draft, auth })}
        />
      )}
      <OtherIssues issues={others} />
    </FormDialog>
  );
}
