import { namesOf } from '../../../../src/domain/content/filter-path.js';
import { propertiesOf } from '../../../parts/schema/schema-properties.js';
import { type Kinds, kindsOf } from './filter-values.js';

/** A field of payloads, as filters, templates and shapes name it. */
export interface SchemaPath {
  path: string;
  kinds: Kinds;
}

const PLAIN = /^[\p{L}\p{M}\p{N}_-]+$/u;
/** Names of any property, which are not names. */
const OPEN = /^(?:\*|\/.*\/)$/;
/** Types without a value that could be compared. */
const WITHOUT_VALUE = /^(?:(?:array of )*(?:object|null)(?: or |$))+$/;

/** A field of the payload by the names that lead to it; an odd name is in quotes. */
const pathOf = (names: readonly string[]): string =>
  names.map((name) => (PLAIN.test(name) ? name : JSON.stringify(name))).join('.');

/** The fields with a value of their own, each once. An array on the way has no mark: any of its elements may match. */
export function schemaPaths(schemas: readonly Readonly<Record<string, unknown>>[]): SchemaPath[] {
  const found = new Map<string, SchemaPath>();
  for (const schema of schemas) {
    const names: string[] = [];
    for (const { name, depth, type } of propertiesOf(schema)) {
      names.splice(depth, names.length, name);
      const path = pathOf(names);
      if (!names.some((one) => OPEN.test(one)) && !WITHOUT_VALUE.test(type)) {
        const kinds = kindsOf(type);
        const before = found.get(path);
        found.set(path, { path, kinds: before ? both(before.kinds, kinds) : kinds });
      }
    }
  }
  return [...found.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** A known field, however its names are quoted. */
export function pathAt(paths: readonly SchemaPath[], typed: string): SchemaPath | undefined {
  const names = namesOf(typed);
  const path = names === null ? typed : pathOf(names);
  return paths.find((one) => one.path === path);
}

const both = (one: Kinds, other: Kinds): Kinds => one && other && new Set([...one, ...other]);
