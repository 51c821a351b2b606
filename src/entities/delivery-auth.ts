import { Field, InputType, ObjectType } from 'type-graphql';
import type { AuthInput, AuthKind, ShownAuth } from '../domain/fields/auth.js';
import { graphqlEnum } from './graphql-enum.js';
import { Nullable } from './nullable.js';

const DeliveryAuthKind = graphqlEnum('DeliveryAuthKind', 'How requests prove who sends them.', {
  BASIC: 'A user name and a password (RFC 7617).',
  BEARER: 'A token (RFC 6750).',
  API_KEY: 'A key in a header.',
} satisfies Record<AuthKind, string>);

@ObjectType({
  description: 'How requests prove to the endpoint who sends them. Passwords, tokens and keys are never shown.',
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

@InputType({ description: 'How requests prove to the endpoint who sends them: exactly one of these.' })
export class DeliveryAuthInput implements AuthInput {
  @Nullable(() => BasicAuthInput, 'A user name and a password.')
  basic?: BasicAuthInput | null;

  @Nullable(() => String, 'A token: 1 to 4,096 visible ASCII characters, without `Bearer`.')
  bearer?: string | null;

  @Nullable(() => ApiKeyAuthInput, 'A key in a header of its own.')
  apiKey?: ApiKeyAuthInput | null;
}
