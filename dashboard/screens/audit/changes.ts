/** The log's text in place of a secret. */
export const HIDDEN = '[secret]';

/** A field of an audit entry: as it was and as it is; undefined where it was not there. */
export interface Change {
  field: string;
  before: unknown;
  after: unknown;
  /** True: only the secret changed, which the log does not show. */
  isSecret?: true;
}

type Fields = Readonly<Record<string, unknown>> | null | undefined;

/**
 * The fields that differ between two states, in the order of the log. The log has changed fields alone: one that looks
 * the same has another secret.
 */
export function changes(before: Fields, after: Fields): Change[] {
  const fields = new Set([...Object.keys(after ?? {}), ...Object.keys(before ?? {})]);
  return [...fields].flatMap((field): Change[] => {
    const change = { field, before: valueIn(before, field), after: valueIn(after, field) };
    const [was, is] = [JSON.stringify(change.before), JSON.stringify(change.after)];
    return was !== is ? [change] : is?.includes(HIDDEN) ? [{ ...change, isSecret: true }] : [];
  });
}

const valueIn = (fields: Fields, field: string): unknown =>
  fields != null && Object.hasOwn(fields, field) ? fields[field] : undefined;
