import { useMemo } from 'react';
import { useQuery } from 'urql';
import { TYPE_PATH } from '../../../../src/domain/content/filter-path';
import { TYPE_SCHEMAS } from './documents';
import { pathAt, type SchemaPath, schemaPaths } from './schema-paths';

/** The fields of the events that an endpoint may get. */
export interface KnownPaths {
  /** The names of its event types. */
  types: readonly string[];
  /** Empty until the schemas are read, and where they name no field. */
  known: readonly SchemaPath[];
  at: (path: string) => SchemaPath | undefined;
  /** Whether the values at a path are texts and nothing else. */
  isText: (path: string) => boolean;
}

const EVENT_TYPE: SchemaPath = { path: TYPE_PATH, kinds: new Set(['text']) };

/** @param eventTypes as the endpoint subscribes to them */
export function usePaths(eventTypes: readonly string[]): KnownPaths {
  const [{ data }] = useQuery({ query: TYPE_SCHEMAS });
  return useMemo(() => {
    // What the service says about endpoints is not filtered.
    const types = (data?.eventTypes ?? []).filter(
      ({ name, reserved }) => !reserved && (eventTypes.includes('*') || eventTypes.includes(name)),
    );
    const known = types.length === 0 ? [] : [EVENT_TYPE, ...schemaPaths(types.map(({ schema }) => schema))];
    const at = (path: string) => pathAt(known, path);
    return {
      types: types.map(({ name }) => name),
      known,
      at,
      isText: (path) => {
        const kinds = at(path)?.kinds;
        return kinds?.size === 1 && kinds.has('text');
      },
    };
  }, [data, eventTypes]);
}
