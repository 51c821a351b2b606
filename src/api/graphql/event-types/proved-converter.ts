import type { Converter } from '../../../domain/content/converter.js';
import { readConverter } from '../../../domain/content/read-converter.js';
import type { ConverterStepInput } from '../../../entities/converter.js';
import { invalidInput, refusedInput } from '../../../errors.js';
import { proveConverter, requireProved } from '../../../operations/event-types/prove-converter.js';
import { requireOwnSchema } from '../../../operations/event-types/register-event-type.js';
import type { Context } from '../../context/context.js';
import { shownProof } from './converter-proof.js';
import { findEventType } from './event-type.js';

export const CONVERTER = ['input', 'converter'];

interface NewVersion {
  name: string;
  schema: Record<string, unknown> | undefined;
  converter?: ConverterStepInput[] | null;
}

/**
 * Tries the converter of a new version, if there is one.
 *
 * @returns its proof; and the converter with the version that it leads to
 * @throws ApiError invalid_input for a converter without a schema, or one that does not fit, unless it is a dry run
 */
export async function provedConverter(
  context: Context,
  { name, schema, converter: steps }: NewVersion,
  dryRun: boolean,
) {
  if (steps == null) {
    return { proof: null, proved: undefined };
  }
  if (schema === undefined) {
    throw refusedInput(['converter'], 'schema_missing', 'comes with a new schema: addConverter adds it to a version');
  }
  context.eventTypes.forget();
  const type = await findEventType(context, name);
  requireOwnSchema(type, ['schema']);
  const converter = converterIn(steps);
  const { version, schema: schemaBefore } = type;
  const change = { eventType: name, converter, schema: JSON.stringify(schema), schemaBefore, later: [] };
  const proof = await proveConverter(context, change);
  if (!dryRun) {
    requireProved(proof, CONVERTER);
  }
  return { proof: shownProof(proof), proved: { converter, version } };
}

/** @throws ApiError invalid_input with the path of each broken rule */
export function converterIn(steps: readonly ConverterStepInput[]): Converter {
  const read = readConverter(steps.map((step) => ({ ...step })));
  if ('problems' in read) {
    throw invalidInput(read.problems.map((problem) => ({ ...problem, path: [...CONVERTER, ...problem.path] })));
  }
  return read.converter;
}
