import { Trans, useLingui } from '@lingui/react/macro';
import type { AuditActor } from '../../api/generated/graphql';
import { Untrusted } from '../../parts/untrusted';
import { ACTOR_WORDS } from './words';

/** The actor of an entry, in words: a key by its name. */
export function Actor({
  actor,
  apiKeyId,
  names,
}: {
  actor: AuditActor;
  apiKeyId?: string | null;
  names: ReadonlyMap<string, string>;
}) {
  const { i18n } = useLingui();
  const name = apiKeyId == null ? undefined : names.get(apiKeyId);
  if (name !== undefined) {
    return (
      <Trans>
        key <Untrusted text={name} /> <code className="font-mono text-xs text-soft">{apiKeyId}</code>
      </Trans>
    );
  }
  return (
    <>
      {i18n._(ACTOR_WORDS[actor] ?? actor)} {apiKeyId && <code className="font-mono text-xs">{apiKeyId}</code>}
    </>
  );
}
