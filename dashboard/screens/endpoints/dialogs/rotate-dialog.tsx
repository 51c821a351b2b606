import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { useMutation } from 'urql';
import { Button } from '../../../parts/button';
import { Dialog } from '../../../parts/dialog';
import { Field, TextInput } from '../../../parts/field';
import { issueAt, issuesOf } from '../../../parts/issues';
import { Answer, Failure } from '../../../parts/page';
import { shortly, Time } from '../../../parts/time';
import { Untrusted } from '../../../parts/untrusted';
import { ROTATE_SECRET } from '../documents';
import { SecretOnce } from '../form/secret-once';
import type { EndpointDialogProps } from '../use-endpoint';

const HOURS_MAX = 168;
const HOURS_USUAL = 24;

/** Gives an endpoint a new signing secret: first for how long the old one signs too, then the new one, this once. */
export function RotateDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { t } = useLingui();
  const { previousSecretExpiresAt: endsAt } = endpoint;
  const isUnderWay = endsAt != null && Date.parse(endsAt) > Date.now();
  const [hours, setHours] = useState(isUnderWay ? '0' : String(HOURS_USUAL));
  const [{ data, error, fetching }, rotate] = useMutation(ROTATE_SECRET);
  const made = data?.rotateWebhookSecret;
  if (made !== undefined) {
    return <Rotated secret={made.secret} endsAt={made.webhook.previousSecretExpiresAt ?? null} onClose={onClose} />;
  }
  const overlap = Number(hours);
  const isPossible = Number.isInteger(overlap) && overlap >= 0 && overlap <= HOURS_MAX && hours !== '';
  const refusal = issueAt(error, 'input', 'overlapHours');
  return (
    <Dialog
      open
      width="wide"
      onClose={onClose}
      title={<Trans>Rotate the signing secret</Trans>}
      actions={
        <>
          <Button onClick={onClose}>
            <Trans>Leave it as it is</Trans>
          </Button>
          <Button
            look={overlap === 0 ? 'danger' : 'primary'}
            disabled={!isPossible || fetching}
            onClick={() => void rotate({ input: { id: endpoint.id, overlapHours: overlap } })}
          >
            {overlap === 0 ? <Trans>Rotate, and end the old one now</Trans> : <Trans>Rotate the secret</Trans>}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {isUnderWay && (
          <Answer tone="warn">
            <Trans>
              A rotation is under way: the previous secret signs too until {shortly(endsAt)}. Another one before that is
              possible only without an overlap.
            </Trans>
          </Answer>
        )}
        <Field
          name={<Trans>Overlap in hours</Trans>}
          hint={<Trans>For so long the old secret signs too: 0 to 168, which is a week.</Trans>}
          error={
            refusal !== undefined ? (
              <Untrusted text={refusal} />
            ) : (
              !isPossible && t`Choose a whole number of hours from 0 to 168.`
            )
          }
        >
          {(props) => (
            <TextInput
              {...props}
              type="number"
              min={0}
              max={HOURS_MAX}
              step={1}
              value={hours}
              onChange={({ target }) => setHours(target.value)}
            />
          )}
        </Field>
        {overlap === 0 ? (
          <p className="text-sm text-warn">
            <Trans>
              Without an overlap the old secret ends at once, as after a leak: your server refuses deliveries until it
              has the new one. They are retried, and count as failures.
            </Trans>
          </p>
        ) : (
          <WhichSigns />
        )}
        {error && issuesOf(error).length === 0 && <Failure error={error} />}
      </div>
    </Dialog>
  );
}

/** Which header is signed with which secret, before, within and after the overlap. */
function WhichSigns() {
  const { t } = useLingui();
  const rows = [
    { header: 'webhook-signature', now: t`old`, overlap: t`old and new`, after: t`new` },
    { header: 'X-Service-Signature', now: t`old`, overlap: t`old`, after: t`new` },
  ];
  return (
    <>
      <table className="w-full text-sm">
        <thead>
          <tr className="border-b border-line text-start text-xs text-soft">
            {[t`Header`, t`Now`, t`In the overlap`, t`After it`].map((name) => (
              <th key={name} scope="col" className="py-1.5 pe-3 text-start font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.header} className="border-b border-line last:border-b-0">
              <th scope="row" className="py-1.5 pe-3 text-start font-mono text-xs font-medium">
                {row.header}
              </th>
              {(['now', 'overlap', 'after'] as const).map((when) => (
                <td key={when} className="py-1.5 pe-3">
                  {row[when]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="text-sm text-soft">
        <Trans>
          A server that checks webhook-signature can take the new secret at any time in the overlap. One that checks
          X-Service-Signature must accept both until the overlap is over.
        </Trans>
      </p>
    </>
  );
}

function Rotated({ secret, endsAt, onClose }: { secret: string; endsAt: string | null; onClose: () => void }) {
  return (
    <Dialog
      open
      stays
      width="wide"
      onClose={onClose}
      title={<Trans>The new signing secret</Trans>}
      actions={
        <Button look="primary" onClick={onClose}>
          <Trans>I have stored the secret</Trans>
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <SecretOnce secret={secret} />
        <p className="text-sm text-soft">
          {endsAt === null ? (
            <Trans>The old secret signs nothing any more.</Trans>
          ) : (
            <Trans>
              The old secret signs too until {shortly(endsAt)}: it ends <Time value={endsAt} />. The page of the
              endpoint counts down.
            </Trans>
          )}
        </p>
      </div>
    </Dialog>
  );
}
