/** JSON whose numbers stay as they were written, such as 9007199254740993 and 10.50. */

/** TypeScript does not know this part of ES2026 yet. */
interface ExactJson {
  parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): value is { rawJSON: string };
}
const json = JSON as unknown as ExactJson;

/** Numbers that JavaScript would write in another way become objects, which JSON.stringify writes as they were. */
export const parseExact = (text: string): unknown =>
  json.parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? json.rawJSON(source) : value,
  );

/** A number as it was written; null: the value is none of these numbers. */
export const writtenNumber = (value: unknown): string | null => (json.isRawJSON(value) ? value.rawJSON : null);
