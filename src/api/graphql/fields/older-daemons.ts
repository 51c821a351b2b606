import { ASKING } from '../../../domain/challenges/challenge.js';
import { ERASING } from '../../../domain/events/erasing.js';
import type { Fields } from '../../../domain/fields/field.js';
import { flat } from '../../../domain/fields/field-table.js';
import { kindOf, type Skill as SkillOfValue } from '../../../domain/fields/kinds.js';
import { isOfFirstForm, OTHER_SECRETS } from '../../../domain/signing/secret.js';
import { ApiError } from '../../../errors.js';
import { olderDaemon } from '../../../operations/installation/daemons.js';
import type { OwnSecrets } from '../../../operations/webhooks/own-secrets.js';
import { type Context, callerOf } from '../../context/context.js';

/** Something that daemons of a version before cannot do. */
interface Skill extends SkillOfValue {
  /** In a sentence for people. Default: the name. */
  about?: string;
}

/**
 * Requires that all daemons know the fields that are set. An older one would call the endpoint as if they were not set,
 * and its failures would disable the webhook.
 *
 * @param values of fields by their names, those of groups among them; null and the default set nothing
 * @throws ApiError older_daemons
 */
export async function requireNewDaemons(context: Context, fields: Fields, values: object): Promise<void> {
  const skills = flat(fields).flatMap(([name, field]): Skill[] => {
    const value = (values as Readonly<Record<string, unknown>>)[name];
    if (value == null || value === field.default) {
      return [];
    }
    const ofValue = kindOf(field).skill(value as never);
    return [
      ...(field.since === undefined ? [] : [{ name, since: field.since }]),
      ...(ofValue === null ? [] : [ofValue]),
    ];
  });
  await requireSkills(context, skills);
}

/**
 * Requires that all daemons can sign with the secrets that a webhook brings. An older one would send nothing.
 *
 * @throws ApiError older_daemons
 */
export async function requireSigningDaemons(
  context: Context,
  { secret, previousSecret }: Pick<OwnSecrets, 'secret' | 'previousSecret'>,
): Promise<void> {
  const isOther = [secret, previousSecret].some((text) => text !== null && !isOfFirstForm(text));
  await requireSkills(context, isOther ? [{ ...OTHER_SECRETS, about: 'secrets of this form' }] : []);
}

/**
 * Requires that all daemons can ask endpoints whether they want deliveries. An older one beside them asks none.
 *
 * @throws ApiError older_daemons
 */
export const requireAskingDaemons = (context: Context): Promise<void> =>
  requireSkills(context, [{ ...ASKING, about: 'proofs of endpoints' }]);

/**
 * Requires that all daemons know erasure. An older one would send, or record, what is being erased.
 *
 * @throws ApiError older_daemons
 */
export const requireErasingDaemons = (context: Context): Promise<void> =>
  requireSkills(context, [{ ...ERASING, about: 'erasure of events' }]);

async function requireSkills(context: Context, skills: readonly Skill[]): Promise<void> {
  const older =
    skills.length === 0
      ? null
      : await olderDaemon(
          context.db,
          skills.map(({ name }) => name),
        );
  if (older === null) {
    return;
  }
  const names = skills.map(({ name, since, about = name }) => `${about} (from ${since} on)`).join(', ');
  // Hosts are the operator's.
  const where = callerOf(context).tenantId === null ? ` on ${older.host}` : '';
  const detail = `A daemon of version ${older.version}${where} does not know ${names}. Upgrade it, and try again when it has ended.`;
  throw new ApiError('older_daemons', detail);
}
