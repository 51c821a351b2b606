import { Trans, useLingui } from '@lingui/react/macro';
import type { KeyRowFragment } from '../../api/generated/graphql';
import { Confirm } from '../../parts/dialog';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { useConfirmed } from '../../parts/use-confirmed';
import { useViewer } from '../../parts/viewer';
import { REVOKE_KEY } from './documents';
import { SCOPE_WORDS } from './scopes';

/** Asks before a key is revoked, with what will stop. */
export function RevokeKey({ apiKey, onClose }: { apiKey: KeyRowFragment | undefined; onClose: () => void }) {
  const { t, i18n } = useLingui();
  const { apiKey: own } = useViewer();
  const said = apiKey?.consoleSession
    ? t`The session has ended. It is refused everywhere within 5 seconds.`
    : t`The key is revoked. It is refused everywhere within 5 seconds.`;
  const [state, revoke] = useConfirmed(REVOKE_KEY, said, onClose);
  return (
    <Confirm
      {...state}
      open={apiKey !== undefined}
      onClose={onClose}
      title={apiKey?.consoleSession ? <Trans>End this session?</Trans> : <Trans>Revoke this key?</Trans>}
      action={apiKey?.consoleSession ? t`End the session` : t`Revoke the key`}
      onConfirm={() => apiKey && revoke({ id: apiKey.id })}
    >
      {apiKey && (
        <div className="flex flex-col gap-2">
          <p>
            {apiKey.consoleSession ? (
              <Trans>
                “<Untrusted text={apiKey.name} />” is signed out within 5 seconds. Keys and portal sessions created in
                this session end with it. Lost permissions:
              </Trans>
            ) : (
              <Trans>
                Requests with the key “<Untrusted text={apiKey.name} />” are refused within 5 seconds. This cannot be
                undone. Lost permissions:
              </Trans>
            )}
          </p>
          <ul className="list-disc ps-5">
            {apiKey.scopes.map((scope) => (
              <li key={scope}>{SCOPE_WORDS[scope] ? i18n._(SCOPE_WORDS[scope]) : <Untrusted text={scope} />}</li>
            ))}
          </ul>
          <p>
            {apiKey.lastUsedAt ? (
              <Trans>
                It was last used <Time value={apiKey.lastUsedAt} />.
              </Trans>
            ) : (
              <Trans>It was never used.</Trans>
            )}
          </p>
          {apiKey.id === own.id && (
            <p className="font-medium text-bad">
              <Trans>This is your own key: you will be signed out.</Trans>
            </p>
          )}
        </div>
      )}
    </Confirm>
  );
}
