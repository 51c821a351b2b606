import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { AnyField } from '../../domain/fields/field.js';
import { invalidInput, type Path } from '../../errors.js';
import { restStep } from './names.js';
import { type RestKind, secretMissing, valueKind } from './rest-kind.js';

type Values = Readonly<Record<string, unknown>>;

export const authKind: RestKind<AnyField> = {
  ...valueKind(authForm),
  inputs(name, value) {
    if (value == null) {
      return [[name, value]];
    }
    const { basic, bearer, api_key: apiKey } = value as Values;
    return [[name, { basic, bearer, apiKey }]];
  },
  place: (steps) => steps.map(restStep),
  changed(value, shown, path) {
    if (value === null || !hasNoSecret(value as Values)) {
      return [value];
    }
    requireSameAuth(value as Values, shown as Values | null | undefined, path);
    return [];
  },
};

function authForm(_: AnyField, description: string, requested: boolean): z.ZodType {
  const text = z.string();
  const shown = {
    kind: text.meta({ pattern: '^[A-Z_]+$', description: 'BASIC, BEARER or API_KEY.', examples: ['BASIC'] }),
    username: text.nullable().meta({
      description:
        'The user name of BASIC. It is null where it is the secret, because there is no password, and for other kinds.',
    }),
    header: text.nullable().meta({ description: 'The name of the header of API_KEY, else null.' }),
  };
  if (!requested) {
    return z.object(shown).meta({ description });
  }
  const given = {
    basic: z.strictObject({ username: text, password: text }).meta({
      description:
        'A user name and a password. One of them may be empty; without a password nobody can read the user name.',
    }),
    bearer: text.meta({ description: 'A token.' }),
    api_key: z.strictObject({ header: text, value: text }).meta({ description: 'A key in a header of its own.' }),
  };
  const examples = [{ basic: { username: 'hooks', password: 'b6c2f1' } }];
  return z
    .strictObject({ ...z.object(given).partial().shape, ...z.object(shown).partial().shape })
    .meta({ description, examples });
}

const AUTH_SECRETS = ['basic', 'bearer', 'api_key'];

const hasNoSecret = (auth: Values): boolean => AUTH_SECRETS.every((name) => auth[name] === undefined);

function requireSameAuth(value: Values, shown: Values | null | undefined, path: Path): void {
  if (shown == null) {
    const detail = `must have exactly one of ${AUTH_SECRETS.join(', ')}: the webhook has no auth that it could keep`;
    throw invalidInput([{ path, code: 'required', detail }]);
  }
  const isKept = Object.entries(value).every(([name, one]) => isDeepStrictEqual(one, shown[name]));
  if (!isKept) {
    throw secretMissing('auth', 'change it', 'basic, bearer or api_key');
  }
}
