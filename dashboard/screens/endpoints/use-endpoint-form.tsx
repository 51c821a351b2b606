import { useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { useClient, useMutation } from 'urql';
import type { UpdateWebhookInput } from '../../api/generated/graphql';
import { type FieldProps, useForm } from '../../parts/form';
import { notify } from '../../parts/toast';
import { problemWords } from '../../text/field-problems';
import { useAction, useOffered } from './actions';
import { ENDPOINT } from './documents';
import { UPDATE_ENDPOINT } from './later-documents';
import type { EndpointDialogProps, ShownEndpoint } from './use-endpoint';

/**
 * The form of a dialog that changes an endpoint, as long as nobody else has changed it in the meantime.
 *
 * @param inputOf the changes that the values make
 * @param saidAfter shown once they are saved, when the dialog closes
 */
export function useEndpointForm<Values extends object>({
  endpoint,
  onClose,
  valuesOf,
  inputOf,
  saidAfter,
  isHeldApart,
}: Pick<EndpointDialogProps, 'endpoint' | 'onClose'> & {
  valuesOf: (endpoint: ShownEndpoint) => Values;
  inputOf: (values: Values) => Omit<UpdateWebhookInput, 'id' | 'ifVersion'>;
  saidAfter: ReactNode;
  /** Whether the change is one that deliveries which are held already do not follow. */
  isHeldApart?: (values: Values) => boolean;
}) {
  const { i18n } = useLingui();
  const { id } = endpoint;
  const [, start] = useAction();
  const asksAboutHeld = useOffered(endpoint)('earlier');
  const client = useClient();
  const [, update] = useMutation(UPDATE_ENDPOINT);
  const form = useForm({
    initial: () => valuesOf(endpoint),
    save: (values: Values, { version }) => update({ input: { id, ...inputOf(values), ifVersion: version } }),
    saved: (_, values) => {
      notify(saidAfter);
      if (asksAboutHeld && isHeldApart?.(values)) {
        start('earlier');
      } else {
        onClose();
      }
    },
    versioned: {
      stored: endpoint,
      read: async () => (await client.query(ENDPOINT, { id }).toPromise()).data?.webhook,
      valuesOf,
    },
  });
  const issues = (name: keyof Values) =>
    form.issues(name).map((issue) => {
      const words = problemWords(issue);
      return words === undefined ? issue : { ...issue, detail: i18n._(words) };
    });
  return {
    ...form,
    issues,
    field: <Name extends keyof Values>(name: Name): FieldProps<Values[Name]> => ({
      ...form.field(name),
      refusal: issues(name)[0]?.detail,
    }),
  };
}
