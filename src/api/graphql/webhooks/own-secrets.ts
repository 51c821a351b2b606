import { isSecret, SECRET_FORMS } from '../../../domain/signing/secret.js';
import { ApiError, type InputIssue, requireNoIssues } from '../../../errors.js';
import type { OwnSecrets } from '../../../operations/webhooks/own-secrets.js';
import { type Context, callerOf } from '../../context/context.js';
import type { CreateWebhookInput } from './webhook-types.js';

type Given = { [Name in keyof OwnSecrets]: CreateWebhookInput[Name] | undefined };

/**
 * The secrets that a new webhook brings from another service. Their holder can sign in the service's name, so they are
 * the operator's to bring.
 *
 * @throws ApiError option_not_allowed; invalid_input, which quotes none of them
 */
export function ownSecretsOf(context: Context, given: Given): OwnSecrets {
  const { secret = null, previousSecret = null, previousSecretExpiresAt = null } = given;
  const named = Object.entries({ secret, previousSecret, previousSecretExpiresAt }).find(([, value]) => value !== null);
  if (named !== undefined) {
    requireOperator(context, named[0]);
  }
  const issues: InputIssue[] = [];
  const refuse = (name: keyof Given, code: string, detail: string) =>
    void issues.push({ path: ['input', name], code, detail });
  for (const [name, text] of Object.entries({ secret, previousSecret })) {
    if (text !== null && !isSecret(text)) {
      refuse(name as keyof Given, 'secret_malformed', `must be ${SECRET_FORMS}`);
    }
  }
  if (secret !== null && secret === previousSecret) {
    refuse('previousSecret', 'duplicate', 'must not be the secret itself');
  }
  if (previousSecretExpiresAt !== null && previousSecret === null) {
    refuse('previousSecretExpiresAt', 'contradiction', 'has a meaning only together with `previousSecret`');
  }
  requireNoIssues(issues);
  return { secret, previousSecret, previousSecretExpiresAt };
}

function requireOperator(context: Context, name: string): void {
  if (callerOf(context).tenantId !== null) {
    throw new ApiError('option_not_allowed', `Only platform keys may set ${name}.`);
  }
}
