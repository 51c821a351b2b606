import type { CombinedError } from 'urql';
import { Untrusted } from './untrusted';

/** A rule that an input breaks, in the words of the service: where in the input, and what is allowed there. */
export interface Issue {
  /** Such as `["input", "eventTypes", 0]`. */
  path: readonly (string | number)[];
  detail: string;
}

/** What the service has found wrong with an input; none for any other error. */
export function issuesOf(error: CombinedError | undefined): Issue[] {
  return (error?.graphQLErrors ?? []).flatMap(({ extensions }) => {
    const issues = extensions['errors'];
    return Array.isArray(issues) ? (issues as Issue[]) : [];
  });
}

/** Whether the service refused because somebody else was faster. */
export function isConflict(error: CombinedError | undefined): boolean {
  return (
    error?.graphQLErrors.some(({ extensions }) => extensions['reason'] === 'precondition_failed') ?? false
  );
}

/**
 * What is wrong at one place of an input: for the field that this place comes from.
 *
 * @param field the name below `input`.
 * @returns null where nothing is.
 */
export function IssuesAt({ issues, field }: { issues: readonly Issue[]; field: string }) {
  return issues
    .filter(({ path }) => path[1] === field)
    .map(({ path, detail }) => (
      <span key={`${path.join('.')} ${detail}`} className="block text-bad">
        {path.length > 2 && <code className="me-1 font-mono">{path.slice(1).join('.')}</code>}
        <Untrusted text={detail} />
      </span>
    ));
}

export const hasIssueAt = (issues: readonly Issue[], field: string): boolean =>
  issues.some(({ path }) => path[1] === field);
