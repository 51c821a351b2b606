import type { Fields } from './field.js';
import { flat } from './field-table.js';
import type { HeldSecret, Replace } from './held.js';
import { kindOf } from './kinds.js';
import { webhookFields } from './webhook-fields.js';

/** A secret among settings: its name, its value, and the addresses that it may go to. */
export interface Secret extends Required<Omit<HeldSecret, 'alsoTo'>> {
  /** The webhook's url, if the settings have it, and then the others. */
  addresses: readonly string[];
  /** The group that it is in, or the field itself outside of groups. */
  place: string;
}

/** Settings by their names, in the form that is stored. */
type Values = Readonly<Record<string, unknown>>;

/** The fields whose values may hold secrets. */
export const secretFields = (fields: Fields) =>
  flat(fields).flatMap(([name, field, place]) => {
    const withSecrets = kindOf(field).secretsIn(field);
    return withSecrets === null ? [] : [{ name, place, withSecrets }];
  });

/** The fields of a webhook that may hold secrets. */
export const webhookSecrets = secretFields(webhookFields);
export const webhookSecretNames: readonly string[] = webhookSecrets.map(({ name }) => name);

/**
 * The secrets among settings. Sealing, hiding, binding, redacting, erasing and giving up find them here alone.
 *
 * @param values sealed, as rows have them, or open
 */
export function secretsOf(values: Values, fields = webhookSecrets): Secret[] {
  const found: Secret[] = [];
  const keep = (secret: Secret) => {
    found.push(secret);
    return secret.value;
  };
  withSecrets(values, keep, fields);
  return found;
}

/** The same settings with another form of each secret. */
export function withSecrets(
  values: Values,
  replace: (secret: Secret) => ReturnType<Replace>,
  fields = webhookSecrets,
): Record<string, unknown> {
  const addresses = typeof values['url'] === 'string' ? [values['url']] : [];
  const changed = fields
    .filter(({ name }) => values[name] != null)
    .map(({ name, place, withSecrets }) => [
      name,
      withSecrets(values[name] as never, name, ({ alsoTo = [], ...secret }) =>
        replace({ forms: [], place, ...secret, addresses: [...addresses, ...alsoTo] }),
      ),
    ]);
  return { ...values, ...Object.fromEntries(changed) };
}

/** The same, where each form takes a while. */
export async function withEachSecret(
  values: Values,
  replace: (secret: Secret) => Promise<string | Uint8Array>,
): Promise<Record<string, unknown>> {
  const made = new Map<string, string | Uint8Array>();
  for (const secret of secretsOf(values)) {
    made.set(secret.sealedAs, await replace(secret));
  }
  return withSecrets(values, ({ sealedAs }) => made.get(sealedAs)!);
}
