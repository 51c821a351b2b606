import { useLingui } from '@lingui/react/macro';
import { Untrusted } from '../../parts/untrusted';
import { SCOPE_WORDS } from './scopes';

/** Scopes by their names, with what each allows on hover. */
export function ScopeList({ scopes }: { scopes: readonly string[] }) {
  const { i18n } = useLingui();
  return (
    <span className="inline-flex flex-wrap gap-x-2 font-mono text-xs text-soft">
      {scopes.map((scope) => {
        const words = SCOPE_WORDS[scope];
        return (
          <span key={scope} title={words && i18n._(words)}>
            <Untrusted text={scope} />
          </span>
        );
      })}
    </span>
  );
}
