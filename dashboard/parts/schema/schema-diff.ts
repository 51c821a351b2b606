import { type Property, propertiesOf } from './schema-properties.js';

/** The change of one property between two versions of a schema. */
export type SchemaChange =
  | { kind: 'ADDED' | 'REMOVED'; property: Property }
  | { kind: 'CHANGED'; property: Property; before: string; after: string };

type Schema = Readonly<Record<string, unknown>>;

/** The properties that differ between two versions of a schema: removed ones first, since those break receivers. */
export function schemaDiff(before: Schema, after: Schema): SchemaChange[] {
  const earlier = new Map(propertiesOf(before).map((one) => [one.path, one]));
  const later = new Map(propertiesOf(after).map((one) => [one.path, one]));
  const removed = [...earlier.values()]
    .filter(({ path }) => !later.has(path))
    .map((property): SchemaChange => ({ kind: 'REMOVED', property }));
  const changed: SchemaChange[] = [];
  const added: SchemaChange[] = [];
  for (const property of later.values()) {
    const previous = earlier.get(property.path);
    if (previous === undefined) {
      added.push({ kind: 'ADDED', property });
    } else if (wordsOf(previous) !== wordsOf(property)) {
      changed.push({ kind: 'CHANGED', property, before: wordsOf(previous), after: wordsOf(property) });
    }
  }
  return [...removed, ...changed, ...added];
}

/** A property in one line: everything that receivers rely on, without its description. */
export function wordsOf({ type, required, rules }: Property): string {
  return [type, required ? 'required' : 'optional', ...rules].join(', ');
}
