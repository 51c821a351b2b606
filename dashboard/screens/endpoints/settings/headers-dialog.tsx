import { Trans } from '@lingui/react/macro';
import { useClient, useMutation } from 'urql';
import { useForm } from '../../../parts/form';
import { FormDialog } from '../../../parts/form-dialog';
import { notify } from '../../../parts/toast';
import { Untrusted } from '../../../parts/untrusted';
import { useWritable } from '../../../parts/viewer';
import { useOffered } from '../actions';
import { ENDPOINT, UPDATE_ENDPOINT } from '../documents';
import { UrlField } from '../form/url-field';
import type { EndpointDialogProps, ShownEndpoint } from '../use-endpoint';
import { AuthFields } from './auth-fields';
import { changeOf, draftOf, hasSecrets, setHeaders } from './draft';
import { HeaderRows } from './header-rows';
import { HeadersConflict } from './headers-conflict';

/** Changes the headers and the auth of an endpoint, and its URL, to whose origin their secrets belong. */
export function HeadersDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { id } = endpoint;
  const client = useClient();
  const isWritable = useWritable();
  const mayMove = useOffered(endpoint)('edit') && hasSecrets(endpoint.delivery);
  const [, update] = useMutation(UPDATE_ENDPOINT);
  const valuesOf = ({ url, delivery }: ShownEndpoint) => ({ url, delivery: draftOf(delivery) });
  const form = useForm({
    initial: () => valuesOf(endpoint),
    save: ({ url, delivery }, { version }) => {
      const move = url === endpoint.url ? {} : { url };
      return update({ input: { id, ...move, delivery: changeOf(delivery), ifVersion: version } });
    },
    saved: () => {
      notify(<Trans>The endpoint is changed.</Trans>);
      onClose();
    },
    versioned: {
      stored: endpoint,
      read: async () => (await client.query(ENDPOINT, { id }).toPromise()).data?.webhook,
      valuesOf,
    },
  });
  const { value: draft, onChange } = form.field('delivery');
  const issues = form.issues('delivery');
  const sent = setHeaders(draft);
  const others = issues.filter(({ path }) => path[0] !== 'auth' && typeof path[1] !== 'number');
  return (
    <FormDialog
      form={form}
      wide
      title={<Trans>Headers and auth</Trans>}
      action={form.conflict ? undefined : <Trans>Save</Trans>}
      onClose={onClose}
    >
      {form.conflict && <HeadersConflict {...form.conflict} />}
      <p className="text-sm text-soft">
        <Trans>Secrets are only written. They stay with the origin of the URL that they were set for.</Trans>{' '}
        {mayMove && <Trans>For another origin change the URL, and enter them again.</Trans>}
      </p>
      {mayMove && <UrlField {...form.field('url')} autoFocus={false} />}
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
          stored={endpoint.delivery.auth?.kind}
          refusal={issues.find(({ path }) => path[0] === 'auth')?.detail}
          onChange={(auth) => onChange({ ...draft, auth })}
        />
      )}
      {others.map(({ detail }) => (
        <p key={detail} className="text-xs text-bad">
          <Untrusted text={detail} />
        </p>
      ))}
    </FormDialog>
  );
}
