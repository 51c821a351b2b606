import { type Property, propertiesOf } from './schema-properties.js';

/** What became of a property from one version of a schema to the next. */
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

/** What a property is, in one line: what receivers rely on, not how it is described. */
export function wordsOf({ type, required, rules }: Property): string {
  return [type, required ? 'required' : 'optional', ...rules].join(', ');
}
