import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Tick } from '../../../parts/field';
import { FormDialog } from '../../../parts/form-dialog';
import { OtherIssues } from '../../../parts/other-issues';
import { Untrusted } from '../../../parts/untrusted';
import { useOffered } from '../actions';
import { BriefConflict } from '../brief-conflict';
import { UrlField } from '../form/url-field';
import { hasClientKey, hasSecrets, type Options } from '../settings/draft';
import type { EndpointDialogProps, ShownEndpoint } from '../use-endpoint';
import { useEndpointForm } from '../use-endpoint-form';
import { Authorities, ClientCertificate } from './certificate-facts';
import { PemField } from './pem-field';
import { missingPart, NO_CHANGE, PEM_NAMES, type PemName, placed, splitPem, tlsChange } from './tls-draft';

const MISSING: Record<NonNullable<ReturnType<typeof missingPart>>, MessageDescriptor> = {
  certificate: msg`Enter the certificate of the key.`,
  key: msg`Enter the private key of the certificate.`,
};

/** Sets, replaces or removes authorities and the client certificate of an endpoint. */
export default function TlsDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { delivery } = endpoint;
  const mayMove = useOffered(endpoint)('edit') && hasClientKey(delivery) && !hasSecrets(delivery);
  const { form, lack, others, ...parts } = useTlsForm({ endpoint, onClose });
  return (
    <FormDialog
      form={form}
      wide
      title={<Trans>TLS</Trans>}
      action={form.conflict ? undefined : <Trans>Save</Trans>}
      refused={lack}
      onClose={onClose}
    >
      {form.conflict && <TlsConflict {...form.conflict} />}
      {mayMove && <UrlField {...form.field('url')} autoFocus={false} />}
      <AuthoritiesPart {...parts} stored={delivery} />
      <ClientPart {...parts} stored={delivery} />
      <OtherIssues issues={others} />
    </FormDialog>
  );
}

function useTlsForm({ endpoint, onClose }: Pick<EndpointDialogProps, 'endpoint' | 'onClose'>) {
  const { i18n } = useLingui();
  const form = useEndpointForm({
    endpoint,
    onClose,
    valuesOf: ({ url }) => ({ url, delivery: NO_CHANGE }),
    inputOf: ({ url, delivery }) => ({
      ...(url === endpoint.url ? {} : { url }),
      delivery: tlsChange(delivery),
    }),
    saidAfter: <Trans>Saved</Trans>,
  });
  const { value: draft, onChange } = form.field('delivery');
  const issues = form.issues('delivery');
  const missing = missingPart(draft, endpoint.delivery.tls);
  const lack = missing && i18n._(MISSING[missing]);
  const pem = (name: PemName) => ({
    value: draft[name],
    error: name === missing ? lack : undefined,
    refusal: issues.find(({ path }) => path.at(-1) === PEM_NAMES[name])?.detail,
    onChange: (text: string) => onChange({ ...draft, ...placed(text, name) }),
    onFile: (text: string) => {
      const isPem = splitPem(text) !== null;
      onChange(isPem ? { ...draft, ...placed(text, name) } : draft);
      return isPem;
    },
  });
  const others = issues.filter(({ path }) => !Object.values<unknown>(PEM_NAMES).includes(path.at(-1)));
  return { form, draft, onChange, pem, lack, others };
}

type PartProps = Pick<ReturnType<typeof useTlsForm>, 'draft' | 'onChange' | 'pem'> & { stored: Options };

function AuthoritiesPart({ draft, onChange, pem, stored: { tls } }: PartProps) {
  return (
    <Part
      title={<Trans>Trusted authorities</Trans>}
      stored={tls?.ca && <Authorities ca={tls.ca} />}
      removal={<Trans>Remove them, and trust the public ones again</Trans>}
      removes={draft.removesCa}
      onRemoves={(removesCa) => onChange({ ...draft, removesCa, ca: '' })}
    >
      <PemField
        {...pem('ca')}
        name={<Trans>Certificates of authorities</Trans>}
        placeholder="-----BEGIN CERTIFICATE-----"
        hint={
          <Trans>For a private authority. The endpoint's certificate must be one of these, or signed by one.</Trans>
        }
      />
    </Part>
  );
}

function ClientPart({ draft, onChange, pem, stored }: PartProps) {
  const certificate = stored.tls?.clientCertificate;
  return (
    <Part
      title={<Trans>Client certificate</Trans>}
      stored={certificate && <ClientCertificate certificate={certificate} />}
      removal={<Trans>Remove it, with its key</Trans>}
      removes={draft.removesCertificate}
      onRemoves={(removesCertificate) => onChange({ ...draft, removesCertificate, certificate: '', key: '' })}
    >
      <PemField
        {...pem('certificate')}
        first={certificate != null}
        name={<Trans>Certificate</Trans>}
        placeholder="-----BEGIN CERTIFICATE-----"
        hint={<Trans>We show it to your server (mutual TLS). Add its chain below it, if it has one.</Trans>}
      />
      <PemField
        {...pem('key')}
        name={<Trans>Private key</Trans>}
        placeholder="-----BEGIN PRIVATE KEY-----"
        hint={
          hasClientKey(stored) ? (
            <Trans>It is set, and never shown. Leave it empty if the new certificate is for the same key.</Trans>
          ) : (
            <Trans>Without a passphrase. It is never shown again, and stays with the origin of the URL.</Trans>
          )
        }
      />
    </Part>
  );
}

function Part({
  title,
  stored,
  removal,
  removes,
  onRemoves,
  children,
}: {
  title: ReactNode;
  /** The stored value; undefined or null where there is none. */
  stored: ReactNode;
  removal: ReactNode;
  removes: boolean;
  onRemoves: (removes: boolean) => void;
  children: ReactNode;
}) {
  return (
    <fieldset className="flex flex-col gap-3 rounded-md border border-line p-3">
      <legend className="px-1 text-sm font-semibold">{title}</legend>
      {stored != null && (
        <div className={`text-sm [overflow-wrap:anywhere] ${removes ? 'line-through opacity-60' : ''}`}>{stored}</div>
      )}
      {stored != null && !removes && (
        <p className="text-xs text-soft">
          <Trans>Leave empty to keep.</Trans>
        </p>
      )}
      {!removes && children}
      {stored != null && (
        <Tick checked={removes} onChange={({ target }) => onRemoves(target.checked)}>
          {removal}
        </Tick>
      )}
    </fieldset>
  );
}

function TlsConflict({ theirs, take, overwrite }: { theirs: ShownEndpoint; take: () => void; overwrite: () => void }) {
  const { ca, clientCertificate } = theirs.delivery.tls ?? {};
  const now = [...(ca?.subjects ?? []), ...(clientCertificate ? [clientCertificate.subject] : []), theirs.url];
  return (
    <BriefConflict take={take} overwrite={overwrite} action={<Trans>Save my changes too</Trans>}>
      {' '}
      <Trans>
        Now: <Untrusted text={now.join(', ')} />
      </Trans>
    </BriefConflict>
  );
}
