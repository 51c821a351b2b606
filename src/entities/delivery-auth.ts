import { Field, InputType, ObjectType } from 'type-graphql';
import type { AuthInput, AuthKind, ShownAuth } from '../domain/fields/auth.js';
import { CLIENT_AUTHS, type ClientAuth, type OAuth2Input } from '../domain/fields/oauth2.js';
import { graphqlEnum } from './graphql-enum.js';
import { Nullable } from './nullable.js';

const DeliveryAuthKind = graphqlEnum('DeliveryAuthKind', 'How requests prove who sends them.', {
  BASIC: 'A user name and a password (RFC 7617).',
  BEARER: 'A token (RFC 6750).',
  API_KEY: 'A key in a header.',
  OAUTH2: 'A token that the service asks for, by client credentials (RFC 6749 §4.4).',
} satisfies Record<AuthKind, string>);

const OAuth2ClientAuth = graphqlEnum(
  'OAuth2ClientAuth',
  'How a client proves to the token server who it is.',
  CLIENT_AUTHS,
);

@ObjectType({
  description:
    'How requests prove to the endpoint who sends them. Passwords, tokens, keys and client secrets are never shown.',
})
export class DeliveryAuth implements ShownAuth {
  @Field(() => DeliveryAuthKind, { description: 'The kind.' })
  kind!: AuthKind;

  @Nullable(
    () => String,
    'The user name. Null unless `kind` is `BASIC`, and where it is the secret, because there is no password.',
  )
  username!: string | null;

  @Nullable(() => String, 'The name of the header. Null unless `kind` is `API_KEY`.')
  header!: string | null;

  @Nullable(() => String, 'The address at which tokens are asked for. Null unless `kind` is `OAUTH2`.')
  tokenUrl!: string | null;

  @Nullable(() => String, 'The id of the client. Null unless `kind` is `OAUTH2`.')
  clientId!: string | null;

  @Nullable(() => String, 'The scope that tokens are asked for with. Null: with none.')
  scope!: string | null;

  @Nullable(() => String, 'The audience that tokens are asked for with. Null: with none.')
  audience!: string | null;

  @Nullable(
    () => OAuth2ClientAuth,
    'How the client proves to the token server who it is. Null unless `kind` is `OAUTH2`.',
  )
  clientAuth!: ClientAuth | null;

  readonly webhookId?: number;
}

@InputType({ description: 'A user name and a password.' })
class BasicAuthInput {
  @Field(() => String, {
    description: 'Without `:`. It may be empty if the password is not. Both have at most 4,096 bytes together.',
  })
  username!: string;

  @Field(() => String, { description: 'It may be empty: then nobody can read the user name.' })
  password!: string;
}

@InputType({ description: 'A key in a header.' })
class ApiKeyAuthInput {
  @Field(() => String, { description: 'The name of the header. It may be `Authorization`.' })
  header!: string;

  @Field(() => String, {
    description: 'The value: 1 to 4,096 visible ASCII characters, with blanks only between them.',
  })
  value!: string;
}

@InputType({ description: 'Client credentials of OAuth 2 (RFC 6749 §4.4): the service asks for tokens by them.' })
class OAuth2AuthInput implements OAuth2Input {
  @Field(() => String, {
    description:
      'The address of the token endpoint, by the rules for `url`. It gets the client secret, so it needs https, except on loopback.',
  })
  tokenUrl!: string;

  @Field(() => String, { description: 'The id of the client: 1 to 1,000 printable ASCII characters.' })
  clientId!: string;

  @Nullable(
    () => String,
    'The secret of the client: 1 to 4,096 printable ASCII characters. Without it, the secret that is set stays, for the same `clientId` and `clientAuth`, and the same origins of `url` and `tokenUrl`.',
  )
  clientSecret?: string | null;

  @Nullable(() => String, 'The scope: words with one blank between them, at most 2,000 characters.')
  scope?: string | null;

  @Nullable(() => String, 'The audience, which some token servers want: at most 1,000 printable ASCII characters.')
  audience?: string | null;

  @Nullable(() => OAuth2ClientAuth, 'How the client proves to the token server who it is. Null means BASIC.')
  clientAuth?: ClientAuth | null;
}

@InputType({ description: 'How requests prove to the endpoint who sends them: exactly one of these.' })
export class DeliveryAuthInput implements AuthInput {
  @Nullable(() => BasicAuthInput, 'A user name and a password.')
  basic?: BasicAuthInput | null;

  @Nullable(() => String, 'A token: 1 to 4,096 visible ASCII characters, without `Bearer`.')
  bearer?: string | null;

  @Nullable(() => ApiKeyAuthInput, 'A key in a header of its own.')
  apiKey?: ApiKeyAuthInput | null;

  @Nullable(() => OAuth2AuthInput, 'Client credentials of OAuth 2.')
  oauth2?: OAuth2AuthInput | null;
}
