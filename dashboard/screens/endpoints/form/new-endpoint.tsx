import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from 'urql';
import { isChat } from '../../../../src/domain/content/formats';
import type { ContentFormat } from '../../../api/generated/graphql';
import { Button, buttonLook } from '../../../parts/button';
import { Code } from '../../../parts/code';
import { useForm } from '../../../parts/form';
import { Answer, Card, Failure, PageHead } from '../../../parts/page';
import { Link, useAddress, useGo } from '../../../parts/place';
import { useAllowed, useViewer, useWritable } from '../../../parts/viewer';
import { formatOfUrl } from '../content/format-of-url';
import { CREATE_ENDPOINT } from '../documents';
import { EndpointFields } from './endpoint-fields';
import { type EndpointValues, NO_VALUES, writtenValues } from './endpoint-values';
import { FormatChoice } from './format-choice';
import { MadeEndpoint } from './made-endpoint';
import { urlProblem } from './url-check';

/** Adds an endpoint: its fields; then its secret, how to verify, and a first test. */
export default function NewEndpoint() {
  const { t } = useLingui();
  return (
    <div className="mx-auto max-w-2xl">
      <PageHead title={t`Add an endpoint`} back={<Link to="/endpoints">{t`Endpoints`}</Link>} />
      {useAllowed('webhooks:edit') ? (
        <NewEndpointForm />
      ) : (
        <Answer tone="info">
          <Trans>You can view endpoints but not add one.</Trans>
        </Answer>
      )}
    </div>
  );
}

/** The addresses that the endpoint may let through its firewall. */
function EgressAddresses() {
  const { t } = useLingui();
  const { egressAddresses } = useViewer();
  return egressAddresses.length === 0 ? null : (
    <Card title={t`Firewall`}>
      <p className="mb-2">
        <Trans>Requests come from these addresses. Allow them in your firewall.</Trans>
      </p>
      <Code text={egressAddresses.join('\n')} name={t`the addresses`} />
    </Card>
  );
}

/** The format is the one that the URL asks for, until somebody chooses one. */
interface NewValues extends EndpointValues {
  content: { format?: ContentFormat };
}

const formatIn = ({ url, content }: NewValues): ContentFormat => content.format ?? formatOfUrl(url);

/** The form of a new endpoint, and whether its format can be chosen. */
function useNewEndpoint() {
  const maySeeSecret = useAllowed('webhooks:secrets');
  const mayChoose = useAllowed('webhooks:options');
  const isWritable = useWritable();
  const hasFormat = mayChoose && isWritable('content');
  // An event type's page leads here with its name.
  const [{ type }] = useAddress();
  const [, create] = useMutation(CREATE_ENDPOINT);
  const form = useForm({
    initial: { ...NO_VALUES, eventTypes: type ? [type] : [], content: {} } as NewValues,
    save: (values, { idempotencyKey }) => {
      const { content: _, ...fields } = values;
      const format = hasFormat ? formatIn(values) : 'JSON';
      const input = {
        ...writtenValues(fields, isWritable),
        ...(format === 'JSON' ? {} : { content: { format } }),
        idempotencyKey,
      };
      // A chat checks no signature.
      return create({ input, withSecret: maySeeSecret && !isChat(format) });
    },
  });
  return { form, hasFormat };
}

function NewEndpointForm() {
  const { t } = useLingui();
  const go = useGo();
  const { form, hasFormat } = useNewEndpoint();
  const { url, eventTypes, content } = form.values;
  const made = form.data?.createWebhook;
  const format = formatIn(form.values);
  return (
    <>
      <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
        <Card>
          <EndpointFields
            form={form}
            autoFocus
            belowUrl={
              hasFormat && (
                <FormatChoice
                  value={format}
                  isByUrl={content.format === undefined}
                  refusal={form.issues('content')[0]?.detail}
                  onChange={(chosen) => form.field('content').onChange({ format: chosen })}
                />
              )
            }
          />
        </Card>
        <EgressAddresses />
        {form.error && <Failure error={form.error} />}
        <div className="flex justify-end gap-2">
          <Link to="/endpoints" className={buttonLook()}>
            <Trans>Cancel</Trans>
          </Link>
          <Button
            type="submit"
            look="primary"
            disabled={form.busy || urlProblem(url) === 'typing'}
            refused={eventTypes.length === 0 ? t`Choose at least one event type.` : undefined}
          >
            <Trans>Add the endpoint</Trans>
          </Button>
        </div>
      </form>
      {made && (
        <MadeEndpoint
          secret={made.secret ?? null}
          endpoint={made.webhook}
          isForChat={hasFormat && isChat(format)}
          onDone={(action) => go(`/endpoints/${made.webhook.databaseId}`, action && { do: action })}
        />
      )}
    </>
  );
}
