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

export const isOtherSchema = (schema: Schema, before: Schema | undefined): boolean =>
  JSON.stringify(schema) !== JSON.stringify(before);

/**
 * Changes an event type. A schema is tried first. Where nothing breaks it is saved at once. Otherwise `save` answers
 * with nothing, `impactOf` has what breaks, and a second `save` of the same schema is the decision.
 */
export function useSchemaChange(name: string) {
  const [, tryOut] = useMutation(TRY_EVENT_TYPE);
  const [, update] = useMutation(UPDATE_EVENT_TYPE);
  const [found, setFound] = useState<{ schema: Schema; impact: SchemaImpactFragment }>();
  const impactOf = (schema: Schema) => (found && !isOtherSchema(schema, found.schema) ? found.impact : undefined);
  const save = async (change: Change): Promise<Answer> => {
    const { schema } = change;
    if (schema && impactOf(schema) === undefined) {
      const { description } = change;
      const { data, error } = await tryOut({ name, schema, ...(description === undefined ? {} : { description }) });
      if (error) {
        return { error };
      }
      const impact = data?.updateEventType.impact;
      if (impact && (impact.breaks || !impact.complete)) {
        setFound({ schema, impact });
        return {};
      }
    }
    return await update({ name, ...change });
  };
  return { save, impactOf, forget: () => setFound(undefined) };
}
