import { InputType } from 'type-graphql';
import { Nullable } from '../../../entities/nullable.js';
import { type InputIssue, requireNoIssues } from '../../../errors.js';

@InputType()
export abstract class TimeRange {
  @Nullable(() => Date, 'Only items created at this time or later.')
  since?: Date | null;

  @Nullable(() => Date, 'Only items created before this time.')
  until?: Date | null;
}

/** @param path of the range in the arguments */
export function rangeIssues({ since, until }: TimeRange, path: readonly string[]): InputIssue[] {
  return since && until && until <= since
    ? [{ path: [...path, 'until'], code: 'out_of_range', detail: 'must be later than `since`' }]
    : [];
}

/** @throws ApiError invalid_input for a filter whose range ends before it begins */
export function requireRange(filter: TimeRange | null): void {
  requireNoIssues(rangeIssues(filter ?? {}, ['filter']));
}
