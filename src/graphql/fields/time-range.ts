import { type InputIssue, requireNoIssues } from '../../errors.js';

/** From `since` on, until before `until`; either may be left open. */
export interface TimeRange {
  since?: Date | null;
  until?: Date | null;
}

/**
 * What is wrong with a range of time, which would choose nothing.
 *
 * @param path where the range stands in the arguments of its field
 */
export function rangeIssues({ since, until }: TimeRange, path: readonly string[]): InputIssue[] {
  return since && until && until <= since
    ? [{ path: [...path, 'until'], code: 'out_of_range', detail: 'must be later than `since`' }]
    : [];
}

/** @throws ApiError invalid_input for a filter whose range would choose nothing */
export function requireRange(filter: TimeRange | null): void {
  requireNoIssues(rangeIssues(filter ?? {}, ['filter']));
}
