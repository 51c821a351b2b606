import { Trans, useLingui } from '@lingui/react/macro';
import { TextField } from '../../../parts/field';
import type { Issue } from '../../../parts/issues';
import { Select } from '../../../parts/select';
import { type AuthDraft, type AuthKind, authKindOf, type Options } from './draft';
import { NO_OAUTH, type OAuthDraft } from './oauth-draft';
import { OAuthFields } from './oauth-fields';
import { AUTH_KINDS } from './words';

/** How requests prove who sends them: its kind, and what that kind needs. */
export function AuthFields({
  auth,
  stored,
  issues,
  onChange,
}: {
  auth: AuthDraft;
  stored: Options['auth'];
  /** The rules that the auth breaks. */
  issues: readonly Issue[];
  onChange: (auth: AuthDraft) => void;
}) {
  const { t, i18n } = useLingui();
  const { kind } = auth;
  const kinds = (Object.keys(AUTH_KINDS) as AuthKind[]).map((value) => ({
    value,
    name: i18n._(AUTH_KINDS[value]),
  }));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">
        <Trans>Authentication</Trans>
      </legend>
      <div>
        <Select
          label={t`Authentication`}
          value={kind}
          options={kinds}
          onChange={(value) => onChange({ kind: value, name: '', secret: '', oauth: NO_OAUTH })}
        />
      </div>
      {(kind === 'BASIC' || kind === 'API_KEY') && (
        <TextField
          name={kind === 'BASIC' ? <Trans>User name</Trans> : <Trans>Header</Trans>}
          value={auth.name}
          onChange={(name) => onChange({ ...auth, name })}
        />
      )}
      {kind === 'OAUTH2' ? (
        <OAuthFields
          auth={auth}
          stored={stored}
          refusalOf={(name) => issues.find(({ path }) => placeOf(path) === name)?.detail}
          onChange={onChange}
        />
      ) : (
        kind !== 'NONE' && (
          <SecretField
            kind={kind}
            isStored={kind === authKindOf(stored)}
            refusal={issues[0]?.detail}
            value={auth.secret}
            onChange={(secret) => onChange({ ...auth, secret })}
          />
        )
      )}
    </fieldset>
  );
}

function SecretField({
  kind,
  isStored,
  ...field
}: {
  kind: Exclude<AuthKind, 'NONE' | 'OAUTH2'>;
  isStored: boolean;
  refusal: string | undefined;
  value: string;
  onChange: (secret: string) => void;
}) {
  const { t } = useLingui();
  const names = { BASIC: t`Password`, USERNAME: t`User name`, BEARER: t`Token`, API_KEY: t`Key` };
  return (
    <TextField
      {...field}
      type="password"
      autoComplete="new-password"
      name={names[kind]}
      hint={isStored && <Trans>It is set. Type to replace it.</Trans>}
    />
  );
}

/** The value that a rule is about. One about all of them, as about where the secret may go, stands at the secret. */
function placeOf(path: Issue['path']): keyof OAuthDraft | 'clientSecret' {
  const name = path.at(-1);
  return typeof name === 'string' && name in NO_OAUTH && name !== 'clientAuth'
    ? (name as keyof OAuthDraft)
    : 'clientSecret';
}
