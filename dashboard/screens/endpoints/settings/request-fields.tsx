import type { Issue } from '../../../parts/issues';
import { OtherIssues } from '../../../parts/other-issues';
import { useWritable } from '../../../parts/viewer';
import { AuthFields } from './auth-fields';
import { CallbackField } from './callback-field';
import { type Draft, setHeaders } from './draft';
import { HeaderRows } from './header-rows';
import { MethodField } from './method-field';

/** The method, the headers and the auth of requests. */
export function RequestFields({
  draft,
  issues,
  onChange,
}: {
  draft: Draft;
  /** The broken rules, with paths from the group on. */
  issues: readonly Issue[];
  onChange: (draft: Draft) => void;
}) {
  const isWritable = useWritable();
  const sent = setHeaders(draft);
  const others = issues.filter(({ path }) => path[0] !== 'auth' && typeof path[1] !== 'number');
  return (
    <>
      {isWritable('headers') && (
        <>
          <MethodField method={draft.method} onChange={(method) => onChange({ ...draft, method })} />
          <CallbackField checked={draft.callback} onChange={(callback) => onChange({ ...draft, callback })} />
          <HeaderRows
            rows={draft.headers}
            refusalOf={(row) =>
              issues.find(({ path }) => path[0] === 'setHeaders' && path[1] === sent.indexOf(row))?.detail
            }
            onChange={(headers) => onChange({ ...draft, headers })}
          />
        </>
      )}
      {isWritable('auth') && (
        <AuthFields
          auth={draft.auth}
          stored={draft.stored.auth}
          issues={issues.filter(({ path }) => path[0] === 'auth')}
          onChange={(auth) => onChange({ ...draft, auth })}
        />
      )}
      <OtherIssues issues={others} />
    </>
  );
}
