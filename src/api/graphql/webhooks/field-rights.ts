import { type Field, type Fields, type Group, inputNames, optionName } from '../../../domain/fields/field.js';
import { webhookFields } from '../../../domain/fields/webhook-fields.js';
import { ApiError } from '../../../errors.js';
import { type Context, callerOf, requireScope } from '../../context/context.js';

type Input = Readonly<Record<string, unknown>>;

/**
 * Requires the right to write each field that an input has. Keys of tenants cannot write what `ENDPOINT_OPTIONS` leaves
 * out; what is set stays in force.
 *
 * @param isGiven whether a value of the input is one: null is none in a new webhook
 * @throws ApiError scope_missing, option_not_allowed
 */
export function requireRights(context: Context, input: Input, isGiven = (value: unknown) => value !== undefined): void {
  const given = Object.entries(input).filter(([, value]) => isGiven(value));
  for (const [name, value] of given) {
    const field = (webhookFields as Fields)[name];
    if (field?.kind === 'group') {
      requireScope(context, field.scope);
      for (const [inner, one] of membersIn(field, value as Input | null)) {
        requirePart(context, inner, one);
      }
    } else {
      requireScope(context, 'webhooks:edit');
      requirePart(context, name, field);
    }
  }
}

/** The fields of a group that an input sets or resets. */
function membersIn({ fields }: Group, input: Input | null): [name: string, field: Field][] {
  const reset = (input?.['reset'] ?? []) as readonly string[];
  const members = Object.entries(fields) as [string, Field][];
  return members.filter(
    ([name, field]) =>
      reset.includes(optionName(name)) || inputNames(name, field).some((one) => input?.[one] !== undefined),
  );
}

function requirePart(context: Context, name: string, field: Pick<Field, 'part'> | undefined): void {
  const { endpointOptions } = context.config;
  if (field?.part !== undefined && callerOf(context).tenantId !== null && !endpointOptions.includes(field.part)) {
    throw new ApiError('option_not_allowed', `The operator does not allow keys of tenants to set ${name}.`);
  }
}
