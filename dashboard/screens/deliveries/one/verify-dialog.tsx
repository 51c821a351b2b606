import { Trans, useLingui } from '@lingui/react/macro';
import { CircleCheck, CircleX } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../../../parts/button';
import { Dialog } from '../../../parts/dialog';
import { Field, TextArea, TextField } from '../../../parts/field';
import { absolute } from '../../../parts/time';
import { Untrusted } from '../../../parts/untrusted';
import { count } from '../../../text/numbers';
import { firstDifference, type Verdict, type Verification, verifySignatures } from './verify';

interface VerifyProps {
  headers: Record<string, unknown>;
  /** The body exactly as sent. */
  body: string;
  /** Until when the secret before a rotation signs too, in ISO 8601. */
  overlapEnds: string | undefined;
  onClose: () => void;
}

/** Computes both signatures of a request in the browser, from a secret that goes nowhere, and says which ones fit. */
export function VerifyDialog({ headers, body, overlapEnds, onClose }: VerifyProps) {
  const { t } = useLingui();
  const [secret, setSecret] = useState('');
  const [received, setReceived] = useState('');
  const [result, setResult] = useState<Result>();
  const can = globalThis.crypto?.subtle !== undefined;
  const verify = async (event: FormEvent) => {
    event.preventDefault();
    const sent = new TextEncoder().encode(body);
    const used = received === '' ? sent : new TextEncoder().encode(received);
    const verification = await verifySignatures(secret, headers, used);
    setResult({ verification, differsAt: firstDifference(sent, used) });
  };
  const fault = result?.verification.kind === 'bad-secret' ? result.verification.why : undefined;
  const faults: Record<NonNullable<typeof fault>, string> = {
    empty: t`Paste the secret.`,
    spaces: t`Remove the white space around the secret, in your configuration too.`,
    prefix: t`This secret fits with whsec_ in front. Include that part.`,
    form: t`A secret begins with whsec_, or is an imported text of 16 to 256 characters.`,
    length: t`A secret has 24 to 88 characters after whsec_.`,
    characters: t`After whsec_ a secret has only letters, digits, +, / and =.`,
  };
  return (
    <Dialog open onClose={onClose} width="wide" title={<Trans>Verify the signature</Trans>}>
      <form onSubmit={(event) => void verify(event)} className="flex flex-col gap-2">
        <TextField
          name={<Trans>Signing secret</Trans>}
          hint={<Trans>It stays in this window and is not sent or stored.</Trans>}
          error={fault && faults[fault]}
          type="password"
          placeholder="whsec_…"
          value={secret}
          onChange={(text) => {
            setSecret(text);
            setResult(undefined);
          }}
        />
        <details>
          <summary className="cursor-pointer text-sm text-soft">
            <Trans>Compare with the body that your server read</Trans>
          </summary>
          <div className="mt-2">
            <Field
              name={<Trans>Body that your server read</Trans>}
              hint={<Trans>Empty: the exact bytes that were sent.</Trans>}
            >
              {(props) => (
                <TextArea
                  {...props}
                  rows={4}
                  value={received}
                  onChange={({ target }) => {
                    setReceived(target.value);
                    setResult(undefined);
                  }}
                />
              )}
            </Field>
          </div>
        </details>
        <div>
          <Button
            type="submit"
            look="primary"
            refused={can ? undefined : t`Browsers compute signatures only on https pages or on localhost.`}
          >
            <Trans>Verify</Trans>
          </Button>
        </div>
      </form>
      <div aria-live="polite" className="mt-3 flex flex-col gap-2 text-sm">
        {result !== undefined && <VerifyResult {...result} overlapEnds={overlapEnds} />}
      </div>
    </Dialog>
  );
}

interface Result {
  verification: Verification;
  /** Where the body that the server has read differs from the one that was sent. */
  differsAt: number | undefined;
}

function VerifyResult({ verification, differsAt, overlapEnds }: Result & { overlapEnds: string | undefined }) {
  return (
    <>
      {differsAt !== undefined && (
        <p className="text-bad">
          <Trans>
            This body differs from the sent one, from byte {count(differsAt)} on. Verify the raw bytes, before they are
            parsed.
          </Trans>
        </p>
      )}
      {verification.kind === 'unsigned' && (
        <p>
          <Trans>This request has no signature.</Trans>
        </p>
      )}
      {verification.kind === 'verified' && (
        <>
          <Summary verdicts={verification.verdicts} overlapEnds={overlapEnds} />
          {verification.verdicts.map((verdict) => (
            <VerdictView key={`${verdict.header} ${verdict.entry}`} verdict={verdict} />
          ))}
        </>
      )}
    </>
  );
}

function Summary({ verdicts, overlapEnds }: { verdicts: Verdict[]; overlapEnds: string | undefined }) {
  const valid = verdicts.filter(({ result }) => result === 'valid');
  if (valid.length === verdicts.length) {
    return (
      <Line good>
        <Trans>Valid: this secret signed the request, in every header.</Trans>
      </Line>
    );
  }
  if (valid.length === 0) {
    return (
      <Line>
        <Trans>
          This secret did not sign the request. It may belong to another endpoint, or to the time before or after a
          rotation.
        </Trans>
      </Line>
    );
  }
  const isOld = valid.some(({ scheme }) => scheme === 'service');
  return (
    <Line good>
      {isOld ? (
        <Trans>Valid: this is the secret from before the rotation.</Trans>
      ) : verdicts.filter(({ scheme }) => scheme === 'standard').length > 1 ? (
        <Trans>Valid in webhook-signature: this is the secret from after the rotation.</Trans>
      ) : (
        <Trans>Valid in one of the headers.</Trans>
      )}{' '}
      {overlapEnds !== undefined && <Trans>Both sign until {absolute(overlapEnds)}.</Trans>}
    </Line>
  );
}

function Line({ good, children }: { good?: boolean; children: ReactNode }) {
  const Icon = good ? CircleCheck : CircleX;
  return (
    <p className="flex items-start gap-2 text-sm font-medium">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${good ? 'text-good' : 'text-bad'}`} />
      <span>{children}</span>
    </p>
  );
}

function VerdictView({ verdict }: { verdict: Verdict }) {
  const { header, scheme, entry, result, given, expected } = verdict;
  return (
    <div className="rounded-md border border-line p-2.5 text-xs">
      <p className="flex flex-wrap items-center gap-x-2">
        <code className="font-mono font-semibold">
          <Untrusted text={header} />
        </code>
        {entry > 1 && <Trans>entry {entry}</Trans>}
        <span className={result === 'valid' ? 'text-good' : 'text-bad'}>
          {result === 'valid' ? (
            <Trans>valid</Trans>
          ) : result === 'differs' ? (
            <Trans>differs</Trans>
          ) : (
            <Trans>not a signature</Trans>
          )}
        </span>
        <span className="text-soft">
          {scheme === 'service' ? (
            <Trans>HMAC-SHA256 of the body; the key is the whole secret</Trans>
          ) : (
            <Trans>
              HMAC-SHA256 of id, timestamp and body; the key is the decoded part after whsec_, or the whole text without
              whsec_
            </Trans>
          )}
        </span>
      </p>
      {result !== 'valid' && (
        <dl className="mt-1.5 grid grid-cols-[max-content_1fr] gap-x-3 gap-y-0.5 font-mono [overflow-wrap:anywhere]">
          <dt className="font-sans text-soft">
            <Trans>sent</Trans>
          </dt>
          <dd>
            <Untrusted text={given} />
          </dd>
          <dt className="font-sans text-soft">
            <Trans>by this secret</Trans>
          </dt>
          <dd>{expected}</dd>
        </dl>
      )}
    </div>
  );
}
