/** What the log has instead of a secret. */
const HIDDEN = '[secret]';

/** A field of an audit entry: as it was and as it is, as texts; undefined where it was not there. */
export interface Change {
  field: string;
  before: string | undefined;
  after: string | undefined;
  /** Its secret is another one, and all that is shown of it is the same. */
  isSecret?: true;
}

type Fields = Readonly<Record<string, unknown>> | null | undefined;

/**
 * The fields that differ between two states, in the order of the names. The log has changed fields alone: one that
 * looks the same has another secret.
 */
export function changes(before: Fields, after: Fields): Change[] {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...fields]
    .sort()
    .map((field) => ({ field, before: textOf(before, field), after: textOf(after, field) }))
    .map(
      (change): Change =>
        change.before === change.after && change.after?.includes(HIDDEN) ? { ...change, isSecret: true } : change,
    )
    .filter((change) => change.before !== change.after || change.isSecret);
}

/** A value for people: texts without quotes, lists of texts with commas, all else as JSON. */
function textOf(fields: Fields, field: string): string | undefined {
  if (fields == null || !Object.hasOwn(fields, field)) {
    return undefined;
  }
  const value = fields[field];
  if (typeof value === 'string') {
    return value;
  }
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')) {
    return value.join(', ');
  }
  return JSON.stringify(value);
}
