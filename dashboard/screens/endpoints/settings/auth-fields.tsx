import { Trans, useLingui } from '@lingui/react/macro';
import { Select, TextField } from '../../../parts/field';
import { Untrusted } from '../../../parts/untrusted';
import type { AuthDraft, AuthKind } from './draft';
import { AUTH_KINDS } from './words';

/** How requests prove who sends them: its kind, and what that kind needs. */
export function AuthFields({
  auth,
  stored,
  refusal,
  onChange,
}: {
  auth: AuthDraft;
  /** The kind that is stored. */
  stored: AuthKind;
  refusal: string | undefined;
  onChange: (auth: AuthDraft) => void;
}) {
  const { t, i18n } = useLingui();
  const { kind } = auth;
  const kinds = (Object.keys(AUTH_KINDS) as AuthKind[]).map((value) => ({
    value,
    name: i18n._(AUTH_KINDS[value]),
  }));
  const secretName = { BASIC: t`Password`, USERNAME: t`User name`, BEARER: t`Token`, API_KEY: t`Key` };
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
          onChange={(value) => onChange({ kind: value, name: '', secret: '' })}
        />
      </div>
      {(kind === 'BASIC' || kind === 'API_KEY') && (
        <TextField
          name={kind === 'BASIC' ? <Trans>User name</Trans> : <Trans>Header</Trans>}
          value={auth.name}
          onChange={(name) => onChange({ ...auth, name })}
        />
      )}
      {kind !== 'NONE' && (
        <TextField
          type="password"
          autoComplete="new-password"
          name={secretName[kind]}
          hint={kind === stored && <Trans>It is set. Type to replace it.</Trans>}
          error={refusal !== undefined && <Untrusted text={refusal} />}
          value={auth.secret}
          onChange={(secret) => onChange({ ...auth, secret })}
        />
      )}
    </fieldset>
  );
}
