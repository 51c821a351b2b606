import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from 'urql';
import { TextField } from '../../../parts/field';
import { useForm } from '../../../parts/form';
import { FormDialog } from '../../../parts/form-dialog';
import { Answer } from '../../../parts/page';
import { SecretDialog } from '../../../parts/secret-dialog';
import { shortly } from '../../../parts/time';
import { formatter } from '../../../text/formats';
import { ROTATE_SECRET } from '../documents';
import type { EndpointDialogProps, ShownEndpoint } from '../use-endpoint';

const HOURS_MAX = 168;
const HOURS_USUAL = 24;

/** Gives an endpoint a new signing secret: first for how long the old one signs too, then the new one, this once. */
export function RotateDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { t } = useLingui();
  const { previousSecretExpiresAt: endsAt } = endpoint;
  const isRotating = endsAt != null && Date.parse(endsAt) > Date.now();
  const [, rotate] = useMutation(ROTATE_SECRET);
  const form = useForm({
    initial: { overlapHours: isRotating ? '0' : String(HOURS_USUAL) },
    save: ({ overlapHours }) => rotate({ input: { id: endpoint.id, overlapHours: Number(overlapHours) } }),
  });
  const made = form.data?.rotateWebhookSecret;
  if (made !== undefined) {
    const { previousSecretExpiresAt = null } = made.webhook;
    return <Rotated secret={made.secret} endsAt={previousSecretExpiresAt} endpoint={endpoint} onClose={onClose} />;
  }
  const { overlapHours } = form.values;
  const hours = Number(overlapHours);
  const isPossible = Number.isInteger(hours) && hours >= 0 && hours <= HOURS_MAX && overlapHours !== '';
  return (
    <FormDialog
      form={form}
      wide
      title={<Trans>Rotate the secret</Trans>}
      action={hours === 0 ? <Trans>Rotate and end the old one</Trans> : <Trans>Rotate the secret</Trans>}
      danger={hours === 0}
      ready={isPossible}
      onClose={onClose}
    >
      {isRotating && (
        <Answer tone="warn">
          <Trans>
            A rotation is in progress: the previous secret also signs until {shortly(endsAt)}. Until then, you can
            rotate again only without an overlap.
          </Trans>
        </Answer>
      )}
      <TextField
        {...form.field('overlapHours')}
        name={<Trans>Overlap in hours</Trans>}
        hint={<Trans>How long the old secret also signs: 0 to 168 hours, which is a week.</Trans>}
        error={!isPossible && t`Enter a whole number of hours from 0 to 168.`}
        type="number"
        min={0}
        max={HOURS_MAX}
        step={1}
      />
      {hours === 0 ? (
        <p className="text-sm text-warn">
          <Trans>
            Without an overlap the old secret ends now, as after a leak. Your server refuses deliveries until it has the
            new secret. They are retried and count as failures.
          </Trans>
        </p>
      ) : (
        <WhichSigns signatures={endpoint.signatures} />
      )}
    </FormDialog>
  );
}

/** Which header is signed with which secret, before, within and after the overlap. */
function WhichSigns({ signatures }: Pick<ShownEndpoint, 'signatures'>) {
  const { t } = useLingui();
  const [both, previous] = headersOf(signatures);
  const rows = [
    ...both.map((header) => ({ header, now: t`old`, overlap: t`old and new`, after: t`new` })),
    ...previous.map((header) => ({ header, now: t`old`, overlap: t`old`, after: t`new` })),
  ];
  return (
    <>
      <table className="w-full text-sm">
        <thead>
          <tr className="border-b border-line text-start text-xs text-soft">
            {[t`Header`, t`Now`, t`During the overlap`, t`After it`].map((name) => (
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
        <WhatServersDo signatures={signatures} />
      </p>
    </>
  );
}

/** The headers that both secrets sign during the overlap, and those that the old one signs alone. */
function headersOf(signatures: ShownEndpoint['signatures']): [string[], string[]] {
  const headersWith = (wanted: 'BOTH' | 'PREVIOUS') =>
    signatures.flatMap(({ headers: [header], overlap }) =>
      overlap === wanted && header !== undefined ? [header] : [],
    );
  return [headersWith('BOTH'), headersWith('PREVIOUS')];
}

/** When a server may switch to the new secret, by the header that it checks. */
function WhatServersDo({ signatures }: Pick<ShownEndpoint, 'signatures'>) {
  const { i18n } = useLingui();
  const [both, previous] = headersOf(signatures);
  const or = formatter(Intl.ListFormat, i18n.locale, { type: 'disjunction' });
  const [anyOfBoth, anyOfPrevious] = [or.format(both), or.format(previous)];
  return (
    <>
      {both.length > 0 && (
        <Trans>A server that checks {anyOfBoth} can switch to the new secret at any time during the overlap.</Trans>
      )}{' '}
      <Trans>A server that checks {anyOfPrevious} must accept both until the overlap ends.</Trans>
    </>
  );
}

interface RotatedProps extends EndpointDialogProps {
  secret: string;
  /** When the old secret ends; null: it has ended. */
  endsAt: string | null;
}

function Rotated({ secret, endsAt, endpoint, onClose }: RotatedProps) {
  const { t } = useLingui();
  return (
    <SecretDialog
      wide
      title={<Trans>The new signing secret</Trans>}
      secret={secret}
      name={t`the secret`}
      hint={
        <Trans>
          The signing secret is shown only once. Store it where your server keeps its secrets, as WEBHOOK_SECRET.
        </Trans>
      }
      leave={<Trans>Close</Trans>}
      onClose={onClose}
    >
      <p className="text-sm text-soft">
        {endsAt === null ? (
          <Trans>The old secret no longer signs anything.</Trans>
        ) : (
          <>
            <Trans>The old secret also signs until {shortly(endsAt)}. The endpoint's settings show that.</Trans>{' '}
            <WhatServersDo signatures={endpoint.signatures} />
          </>
        )}
      </p>
    </SecretDialog>
  );
}
