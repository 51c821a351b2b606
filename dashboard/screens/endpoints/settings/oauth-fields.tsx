import { Trans, useLingui } from '@lingui/react/macro';
import { TextField } from '../../../parts/field';
import { Select } from '../../../parts/select';
import type { AuthDraft, Options } from './draft';
import { keepsClientSecret, type OAuthDraft } from './oauth-draft';
import { CLIENT_AUTHS } from './words';

interface OAuthFieldsProps {
  auth: AuthDraft;
  stored: Options['auth'];
  /** The service's message about one of the values. */
  refusalOf: (name: keyof OAuthDraft | 'clientSecret') => string | undefined;
  onChange: (auth: AuthDraft) => void;
}

/** How the token of each request is got. */
export function OAuthFields(props: OAuthFieldsProps) {
  const { t, i18n } = useLingui();
  const { auth, refusalOf, onChange } = props;
  const { oauth } = auth;
  const ways = (Object.keys(CLIENT_AUTHS) as OAuthDraft['clientAuth'][]).map((value) => ({
    value,
    name: i18n._(CLIENT_AUTHS[value]),
  }));
  const field = (name: Exclude<keyof OAuthDraft, 'clientAuth'>) => ({
    value: oauth[name],
    refusal: refusalOf(name),
    onChange: (value: string) => onChange({ ...auth, oauth: { ...oauth, [name]: value } }),
  });
  return (
    <>
      <TextField
        {...field('tokenUrl')}
        type="url"
        name={<Trans>Token URL</Trans>}
        hint={<Trans>A public https address. We ask it for a token before the first request.</Trans>}
      />
      <div className="grid gap-x-3 gap-y-2 sm:grid-cols-2">
        <TextField
          {...field('clientId')}
          name={<Trans>Client ID</Trans>}
          hint={<Trans>The token server knows us by it.</Trans>}
        />
        <ClientSecretField {...props} />
        <TextField
          {...field('scope')}
          name={<Optional>{t`Scope`}</Optional>}
          hint={<Trans>Separate several by spaces.</Trans>}
        />
        <TextField
          {...field('audience')}
          name={<Optional>{t`Audience`}</Optional>}
          hint={<Trans>Some providers need it.</Trans>}
        />
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <Trans>Client ID and secret are sent</Trans>
        <Select
          label={t`Client ID and secret are sent`}
          value={oauth.clientAuth}
          options={ways}
          onChange={(clientAuth) => onChange({ ...auth, oauth: { ...oauth, clientAuth } })}
        />
      </div>
    </>
  );
}

function ClientSecretField({ auth, stored, refusalOf, onChange }: OAuthFieldsProps) {
  const { oauth, secret } = auth;
  const keeps = keepsClientSecret(oauth, stored);
  const lacks = stored?.kind === 'OAUTH2' && !keeps && secret === '';
  return (
    <TextField
      type="password"
      autoComplete="new-password"
      name={<Trans>Client secret</Trans>}
      hint={keeps ? <Trans>It is set. Type to replace it.</Trans> : <Trans>It is never shown again.</Trans>}
      error={lacks && <Trans>Enter it again: the one that is set stays with its token server and client.</Trans>}
      value={secret}
      refusal={refusalOf('clientSecret')}
      onChange={(value) => onChange({ ...auth, secret: value })}
    />
  );
}

function Optional({ children }: { children: string }) {
  return (
    <>
      {children}
      <span className="font-normal text-faint">
        {' '}
        <Trans>optional</Trans>
      </span>
    </>
  );
}
