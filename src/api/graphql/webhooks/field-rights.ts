import { type AnyField, type Fields, optionName } from '../../../domain/fields/field.js';
import { inputNames, membersOf } from '../../../domain/fields/field-table.js';
import { webhookFields } from '../../../domain/fields/webhook-fields.js';
import { ApiError } from '../../../errors.js';
import { type Context, callerOf, requireScope } from '../../context/context.js';

type Input = Readonly<Record<string, unknown>>;

/**
 * Requires the right to write each field that an input has. Keys of tenants cannot write what `ENDPOINT_OPTIONS` leaves
 * out, nor set what only platform keys set; what is set stays in force. Portal sessions cannot write ids: people do not
 * make them.
 *
 * @param isGiven whether a value of the input is one: null is none in a new webhook
 * @throws ApiError scope_missing, option_not_allowed
 */
export function requireRights(context: Context, input: Input, isGiven = (value: unknown) => value !== undefined): void {
  const given = Object.entries(input).filter(([, value]) => isGiven(value));
  for (const [name, value] of given) {
    const field = (webhookFields as Fields)[name];
    requireScope(context, field?.scope ?? 'webhooks:edit');
    if (field?.identifies && callerOf(context).isPortalSession) {
      throw new ApiError('option_not_allowed', `A portal session cannot set ${name}.`);
    }
    for (const written of field === undefined ? [] : writtenIn(name, field, value)) {
      requireWritable(context, written);
    }
  }
}

/** A field that an input sets, or removes. */
interface Written {
  name: string;
  part: AnyField['part'] | undefined;
  setBy?: AnyField['setBy'];
  isSet: boolean;
}

/** The field, or the fields of a group that an input sets or resets. */
function writtenIn(name: string, field: AnyField, value: unknown): Written[] {
  const members = membersOf(field);
  if (members === null) {
    return [{ name, part: field.part, setBy: field.setBy, isSet: value != null }];
  }
  const input = value as Input | null;
  const reset = (input?.['reset'] ?? []) as readonly string[];
  return Object.entries(members)
    .filter(
      ([inner, one]) =>
        reset.includes(optionName(inner)) || inputNames(inner, one).some((given) => input?.[given] !== undefined),
    )
    .map(([inner, { part = field.part, setBy }]) => ({ name: inner, part, setBy, isSet: input?.[inner] != null }));
}

function requireWritable(context: Context, { name, part, setBy, isSet }: Written): void {
  const { endpointOptions } = context.config;
  if (callerOf(context).tenantId === null) {
    return;
  }
  if (part !== undefined && !endpointOptions.includes(part)) {
    throw new ApiError('option_not_allowed', `The operator does not allow keys of tenants to set ${name}.`);
  }
  if (setBy === 'platform' && isSet) {
    throw new ApiError('option_not_allowed', `Only platform keys may set ${name}. Other keys may remove it, by null.`);
  }
}
