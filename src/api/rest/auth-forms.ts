import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { AnyField } from '../../domain/fields/field.js';
import { CLIENT_AUTHS, CLIENT_PARTS } from '../../domain/fields/oauth2.js';
import { invalidInput, type Path } from '../../errors.js';
import { graphqlName, restName, restStep } from './names.js';
import { type RestKind, secretMissing, valueKind } from './rest-kind.js';

type Values = Readonly<Record<string, unknown>>;

const CLIENT = CLIENT_PARTS.map(restName);
/** Null means none. */
const OF_NONE = ['scope', 'audience'];
/** In answers alone. */
const FAILURE = 'last_failure';

export const authKind: RestKind<AnyField> = {
  ...valueKind(authForm),
  selection: () =>
    ` { kind username header ${CLIENT.map((name) => `${name}: ${graphqlName(name)}`).join(' ')} ${FAILURE}: lastFailure { at code detail } }`,
  shown: (auth) => auth && inRest(auth),
  inputs(name, value) {
    if (value == null) {
      return [[name, value]];
    }
    const { basic, bearer, api_key: apiKey, oauth2 } = value as Values;
    return [[name, { basic, bearer, apiKey, ...(oauth2 === undefined ? {} : { oauth2: inGraphql(oauth2) }) }]];
  },
  place: (steps) => steps.map(restStep),
  changed(value, shown, path) {
    return value === null || !hasNoSecret(value as Values)
      ? [value]
      : changedClient(value as Values, shown as Values | null | undefined, path);
  },
};

const renamed = (value: unknown, name: (name: string) => string) =>
  value === null
    ? null
    : Object.fromEntries(Object.entries(value as object).map(([key, one]) => [name(key), one as unknown]));
const inRest = (auth: unknown) => renamed(auth, restName);
const inGraphql = (client: unknown) => renamed(client, graphqlName);

const text = z.string();
const clientAuth = z.enum(Object.keys(CLIENT_AUTHS));

/** The parts of OAuth 2 that requests and answers have. */
const client = {
  token_url: text.meta({
    format: 'uri',
    description: 'The address at which tokens are asked for, by the rules for `url`.',
  }),
  client_id: text.meta({ description: 'The id of the client.' }),
  scope: text.nullable().meta({ description: 'The scope that tokens are asked for with; null: with none.' }),
  audience: text.nullable().meta({ description: 'The audience that tokens are asked for with; null: with none.' }),
  client_auth: clientAuth.meta({
    description:
      'How the client proves to the token server who it is: BASIC (by basic auth) or BODY (in the body of the request).',
  }),
};

const ofOAuth2 = 'It is null for other kinds than OAUTH2.';

const shownForm = {
  kind: text.meta({ pattern: '^[A-Z0-9_]+$', description: 'BASIC, BEARER, API_KEY or OAUTH2.', examples: ['BASIC'] }),
  username: text.nullable().meta({
    description:
      'The user name of BASIC. It is null where it is the secret, because there is no password, and for other kinds.',
  }),
  header: text.nullable().meta({ description: 'The name of the header of API_KEY, else null.' }),
  token_url: client.token_url
    .nullable()
    .meta({ description: `The address at which tokens are asked for. ${ofOAuth2}` }),
  client_id: client.client_id.nullable().meta({ description: `The id of the client. ${ofOAuth2}` }),
  scope: client.scope,
  audience: client.audience,
  client_auth: clientAuth.nullable().meta({ description: `How the client proves who it is. ${ofOAuth2}` }),
  [FAILURE]: z
    .object({
      at: text.meta({ format: 'date-time', description: 'When it was made.' }),
      code: text.meta({ description: 'The kind, for programs. There may be more in the future.' }),
      detail: text.meta({ description: 'A sentence for people.' }),
    })
    .nullable()
    .meta({ description: `The latest request for a token, if it gave none. ${ofOAuth2}` }),
};

const givenForm = {
  basic: z.strictObject({ username: text, password: text }).meta({
    description:
      'A user name and a password. One of them may be empty; without a password nobody can read the user name.',
  }),
  bearer: text.meta({ description: 'A token.' }),
  api_key: z.strictObject({ header: text, value: text }).meta({ description: 'A key in a header of its own.' }),
  oauth2: z
    .strictObject({
      token_url: client.token_url,
      client_id: client.client_id,
      client_secret: text.nullish().meta({
        description:
          'The secret of the client. Without it, the one that is set stays, for the same client at the same origins.',
      }),
      scope: client.scope.optional(),
      audience: client.audience.optional(),
      client_auth: client.client_auth.nullish(),
    })
    .meta({ description: 'Client credentials of OAuth 2 (RFC 6749 §4.4): the service asks for tokens by them.' }),
};

function authForm(_: AnyField, description: string, requested: boolean): z.ZodType {
  if (!requested) {
    return z.object(shownForm).meta({ description });
  }
  const examples = [{ basic: { username: 'hooks', password: 'b6c2f1' } }];
  return z
    .strictObject({ ...z.object(givenForm).partial().shape, ...z.object(shownForm).partial().shape })
    .meta({ description, examples });
}

const AUTH_SECRETS = Object.keys(givenForm);

const hasNoSecret = (auth: Values): boolean => AUTH_SECRETS.every((name) => auth[name] === undefined);

/** Reads what GET shows, sent back: only parts of OAuth 2 that the client secret is not bound to may differ. */
function changedClient({ [FAILURE]: _, ...value }: Values, shown: Values | null | undefined, path: Path): [Values?] {
  if (shown == null) {
    const detail = `must have exactly one of ${AUTH_SECRETS.join(', ')}: the webhook has no auth that it could keep`;
    throw invalidInput([{ path, code: 'required', detail }]);
  }
  const changed = Object.entries(value).filter(([name, one]) => !isDeepStrictEqual(one, shown[name]));
  if (changed.length === 0) {
    return [];
  }
  const mayChange = ([name, one]: [string, unknown]) =>
    CLIENT.includes(name) && (one !== null || OF_NONE.includes(name));
  if (shown['kind'] !== 'OAUTH2' || !changed.every(mayChange)) {
    throw secretMissing('auth', 'change it', 'basic, bearer, api_key or oauth2');
  }
  const kept = CLIENT.map((name) => [name, shown[name]]);
  return [{ oauth2: { ...Object.fromEntries(kept), ...Object.fromEntries(changed) } }];
}
