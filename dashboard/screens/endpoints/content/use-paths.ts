import { useMemo } from 'react';
import { useQuery } from 'urql';
import type { EventFilter } from '../../../../src/domain/content/filter';
import { namesOf, TYPE_PATH } from '../../../../src/domain/content/filter-path';
import { filterWarnings, placeholderWarnings } from '../../../../src/domain/content/option-warnings';
import { matches } from '../../../../src/domain/events/event-type';
import { TYPE_SCHEMAS } from './documents';
import type { KindsAt } from './filter-values';
import { pathAt, type SchemaPath, schemaPaths } from './schema-paths';

/** The fields of the events that an endpoint may get. */
export interface KnownPaths {
  /** The names of its event types. */
  types: readonly string[];
  /** Empty until the schemas are read, and where they name no field. */
  known: readonly SchemaPath[];
  kindsAt: KindsAt;
  /** Whether no schema has the field of a condition. */
  isUnknown: (path: string) => boolean;
  /** A list whose different elements may meet conditions of the filter that are beside each other. */
  sharedListOf: (filter: EventFilter) => string | undefined;
  /** Whether no schema has the value of a placeholder. */
  isUnknownValue: (path: string) => boolean;
}

const EVENT_TYPE: SchemaPath = { path: TYPE_PATH, kinds: new Set(['text']) };

/**
 * @param eventTypes as the endpoint subscribes to them
 * @param isWanted whether somebody writes what needs them
 */
export function usePaths(eventTypes: readonly string[], isWanted = true): KnownPaths {
  const [{ data }] = useQuery({ query: TYPE_SCHEMAS, pause: !isWanted });
  return useMemo(() => {
    const subscribed = (data?.eventTypes ?? []).filter(({ name }) => matches(eventTypes, name));
    // What the service says about endpoints is not filtered.
    const types = subscribed.filter(({ reserved }) => !reserved);
    const schemas = types.map(({ schema }) => schema);
    const known = types.length === 0 ? [] : [EVENT_TYPE, ...schemaPaths(schemas)];
    const sent = subscribed.map(({ schema }) => schema);
    return {
      types: types.map(({ name }) => name),
      known,
      kindsAt: (path) => pathAt(known, path)?.kinds,
      isUnknown: (path) =>
        namesOf(path) !== null && filterWarnings({ field: { path, op: 'EXISTS' } }, schemas).length > 0,
      sharedListOf: (filter) =>
        filterWarnings(filter, schemas).find(({ code }) => code === 'elements_may_differ')?.path,
      isUnknownValue: (path) => placeholderWarnings([path], sent).length > 0,
    };
  }, [data, eventTypes]);
}
