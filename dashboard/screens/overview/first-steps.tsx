import { Trans, useLingui } from '@lingui/react/macro';
import { Check, Send } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import type { EndpointRowFragment } from '../../api/generated/graphql';
import { Button, buttonLook } from '../../parts/button';
import { endpointLabel } from '../../parts/cells';
import { Card, Failure } from '../../parts/page';
import { Link, useGo } from '../../parts/place';
import { Untrusted } from '../../parts/untrusted';
import { useAllowed } from '../../parts/viewer';
import { SEND_TEST } from '../endpoints/first-documents';

/** The first steps of a tenant: an endpoint, a test, done. Shown until the first delivery. */
export default function FirstSteps({
  endpoint,
  onSent,
}: {
  endpoint: EndpointRowFragment | undefined;
  onSent: () => void;
}) {
  const { t } = useLingui();
  const go = useGo();
  const mayCreate = useAllowed('webhooks:edit');
  const mayTest = useAllowed('webhooks:test');
  const [{ fetching, error }, sendTest] = useMutation(SEND_TEST);
  const send = async (id: string) => {
    const { data } = await sendTest({ input: { id } });
    if (data) {
      onSent();
      go(`/deliveries/${data.testWebhook.delivery.databaseId}`);
    }
  };
  return (
    <>
      {error && <Failure error={error} />}
      <Card title={<Trans>Get started</Trans>} flush>
        <ol className="divide-y divide-line">
          <Step number={1} done={endpoint !== undefined} title={t`Add an endpoint`}>
            {endpoint ? (
              <Untrusted text={endpointLabel(endpoint)} />
            ) : (
              <>
                <p>
                  <Trans>
                    Your server's URL, which accepts POST requests over HTTPS, and the event types it receives.
                  </Trans>
                </p>
                {mayCreate ? (
                  <Link to="/endpoints/new" className={buttonLook('primary')}>
                    <Trans>Add an endpoint</Trans>
                  </Link>
                ) : (
                  <Trans>You can view endpoints but not add one. Ask someone who can manage endpoints.</Trans>
                )}
              </>
            )}
          </Step>
          <Step number={2} done={false} waits={endpoint === undefined} title={t`Send a test`}>
            <p>
              <Trans>
                The event webhook.test goes to this endpoint only, signed like any other. You see the answer of your
                server.
              </Trans>
            </p>
            {endpoint && mayTest && (
              <Button
                look="primary"
                icon={<Send />}
                disabled={fetching}
                onClick={() => void send(endpoint.id)}
                refused={endpoint.active ? undefined : t`The endpoint is paused: enable it first.`}
              >
                <Trans>Send a test</Trans>
              </Button>
            )}
          </Step>
          <Step number={3} done={false} waits title={t`Done`}>
            <Trans>
              Events arrive as they happen, and failed deliveries are retried automatically. This page shows whether all
              is well.
            </Trans>
          </Step>
        </ol>
      </Card>
    </>
  );
}

function Step({
  number,
  done,
  waits,
  title,
  children,
}: {
  number: number;
  done: boolean;
  /** An earlier step comes first. */
  waits?: boolean;
  title: string;
  children: ReactNode;
}) {
  return (
    <li className="flex gap-3.5 px-4 py-4" aria-current={!done && !waits ? 'step' : undefined}>
      <span
        className={`figures flex size-6 shrink-0 items-center justify-center rounded-full text-xs font-semibold ${
          done ? 'bg-good-soft text-good' : waits ? 'bg-sunken text-soft' : 'bg-accent text-accent-ink'
        }`}
      >
        {done ? <Check className="size-3.5" aria-label={title} /> : number}
      </span>
      <div className="flex min-w-0 flex-col items-start gap-2 text-sm text-soft">
        <h3 className="pt-0.5 font-medium text-ink">{title}</h3>
        {children}
      </div>
    </li>
  );
}
