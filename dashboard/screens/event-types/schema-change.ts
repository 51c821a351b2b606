import { useState } from 'react';
import { type CombinedError, useMutation } from 'urql';
import type { ConverterStepInput, SchemaImpactFragment, UpdateEventTypeMutation } from '../../api/generated/graphql';
import { TRY_EVENT_TYPE, UPDATE_EVENT_TYPE } from './documents';

type Schema = Record<string, unknown>;

interface Change {
  description?: string;
  /** One that differs from the current one. */
  schema?: Schema;
  /** Steps from such a schema to the current one. */
  converter?: ConverterStepInput[];
}

interface Answer {
  data?: UpdateEventTypeMutation | undefined;
  error?: CombinedError | undefined;
}

const isOther = (one: unknown, before: unknown): boolean => JSON.stringify(one) !== JSON.stringify(before);
export const isOtherSchema: (schema: Schema, before: Schema | undefined) => boolean = isOther;

/**
 * Changes an event type. A schema is tried first, with its converter. Where nothing breaks it is saved at once. Otherwise
 * `save` answers with nothing, `impactOf` has what breaks, and a second `save` of the same is the decision.
 */
export function useSchemaChange(name: string) {
  const [, tryOut] = useMutation(TRY_EVENT_TYPE);
  const [, update] = useMutation(UPDATE_EVENT_TYPE);
  const [found, setFound] = useState<Pick<Change, 'schema' | 'converter'> & { impact: SchemaImpactFragment }>();
  const impactOf = (schema: Schema, converter?: unknown) =>
    found && !isOther([schema, converter], [found.schema, found.converter]) ? found.impact : undefined;
  const save = async (change: Change): Promise<Answer> => {
    const { schema, converter } = change;
    if (schema && impactOf(schema, converter) === undefined) {
      const { data, error } = await tryOut({ name, ...change, schema });
      if (error) {
        return { error };
      }
      const impact = data?.updateEventType.impact;
      if (impact && (impact.breaks || !impact.complete)) {
        setFound({ schema, ...(converter === undefined ? {} : { converter }), impact });
        return {};
      }
    }
    return await update({ name, ...change });
  };
  return { save, impactOf, forget: () => setFound(undefined) };
}
