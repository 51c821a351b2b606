import { Trans } from '@lingui/react/macro';
import { useClient, useMutation } from 'urql';
import { useForm } from '../../../parts/form';
import { FormDialog } from '../../../parts/form-dialog';
import { Answer } from '../../../parts/page';
import { notify } from '../../../parts/toast';
import { Untrusted } from '../../../parts/untrusted';
import { useWritable } from '../../../parts/viewer';
import { ENDPOINT, UPDATE_ENDPOINT } from '../documents';
import type { EndpointDialogProps } from '../use-endpoint';
import { AuthFields } from './auth-fields';
import { changeOf, draftOf, setHeaders } from './draft';
import { HeaderRows } from './header-rows';

/** Changes the headers and the auth of an endpoint. */
export function HeadersDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { id } = endpoint;
  const client = useClient();
  const isWritable = useWritable();
  const [, update] = useMutation(UPDATE_ENDPOINT);
  const form = useForm({
    initial: () => ({ delivery: draftOf(endpoint.delivery) }),
    save: ({ delivery }, { version }) =>
      update({ input: { id, delivery: changeOf(delivery, endpoint.delivery), ifVersion: version } }),
    saved: () => {
      notify(<Trans>The endpoint is changed.</Trans>);
      onClose();
    },
    versioned: {
      stored: endpoint,
      read: async () => (await client.query(ENDPOINT, { id }).toPromise()).data?.webhook,
      valuesOf: ({ delivery }) => ({ delivery: draftOf(delivery) }),
    },
  });
  const { value: draft, onChange } = form.field('delivery');
  const issues = form.issues('delivery');
  const sent = setHeaders(draft, endpoint.delivery);
  const others = issues.filter(({ path }) => path[0] !== 'auth' && typeof path[1] !== 'number');
  return (
    <FormDialog
      form={form}
      wide
      title={<Trans>Headers and auth</Trans>}
      action={form.conflict ? undefined : <Trans>Save</Trans>}
      onClose={onClose}
    >
      {form.conflict && (
        <Answer tone="warn">
          <Trans>
            Someone else changed this endpoint while you were editing it. Close this window and begin again.
          </Trans>
        </Answer>
      )}
      <p className="text-sm text-soft">
        <Trans>Secrets are only written. They stay with the origin of the URL that they were set for.</Trans>
      </p>
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
