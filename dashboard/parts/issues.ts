import type { CombinedError } from 'urql';

/** A rule that the input of a mutation breaks. */
export interface Issue {
  /** From the arguments on: `['input', 'schema', 'properties', 'a']`. */
  path: readonly (string | number)[];
  /** The name of the rule. */
  code?: string;
  detail: string;
}

/** The broken rules that the API has named, none where it refused for another reason. */
export function issuesOf(error: CombinedError | undefined): Issue[] {
  const issues = error?.graphQLErrors[0]?.extensions?.['errors'];
  return Array.isArray(issues) ? (issues as Issue[]) : [];
}

/** The API's message about one argument; undefined if the argument is right. */
export function issueAt(error: CombinedError | undefined, ...path: string[]): string | undefined {
  return issuesOf(error).find((issue) => path.every((step, at) => issue.path[at] === step))?.detail;
}

/** Whether the API refused because what the person has read was changed in between. */
export function isConflict(error: CombinedError | undefined): boolean {
  return error?.graphQLErrors[0]?.extensions?.['reason'] === 'precondition_failed';
}
