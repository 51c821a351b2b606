import 'reflect-metadata';
import { Ctx, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import { signatureHeaders, standardHeaders } from '../../../domain/deliveries/delivery-request.js';
import { authHeaderName } from '../../../domain/fields/auth.js';
import { besideOwn } from '../../../domain/fields/form-headers.js';
import { headersOfForm, type PlannedForm } from '../../../domain/signing/signature-form.js';
import { graphqlEnum } from '../../../entities/graphql-enum.js';
import { Nullable } from '../../../entities/nullable.js';
import { Webhook } from '../../../entities/webhook.js';
import type { Context } from '../../context/context.js';
import { optionsOf } from '../fields/options-of.js';

const SignatureScheme = graphqlEnum('SignatureScheme', 'How a signature is made.', {
  CONTRACT: 'HMAC-SHA256 of the body, in hex, with the whole secret as the key.',
  STANDARD_WEBHOOKS: 'As Standard Webhooks has it.',
  COMPAT: 'As a former system made it (`DeliveryOptions.compat`).',
});

const SignatureOverlap = graphqlEnum('SignatureOverlap', 'The secrets that sign until an overlap ends.', {
  PREVIOUS: 'The previous secret alone: the header has room for one signature.',
  BOTH: 'The new secret and the previous one.',
});

@ObjectType({ description: 'A signature that each attempt has.' })
class DeliverySignature {
  @Field(() => SignatureScheme, { description: 'How it is made.' })
  scheme!: keyof typeof SignatureScheme;

  @Nullable(() => String, 'The name of its form. Null unless `scheme` is COMPAT.')
  form!: string | null;

  @Field(() => [String], {
    description:
      'The names of its headers, that of the signature first. Empty where this process does not know the form. Headers that the webhook sets itself are left out.',
  })
  headers!: readonly string[];

  @Nullable(
    () => SignatureOverlap,
    'The secrets that sign while an overlap lasts. Null where `headers` does not begin with that of a signature.',
  )
  overlap!: keyof typeof SignatureOverlap | null;
}

const overlapOf = ({ join }: PlannedForm) => (join === null ? 'PREVIOUS' : 'BOTH');

@Resolver(() => Webhook)
export class SignatureResolver {
  @FieldResolver(() => [DeliverySignature], { description: 'The signatures that each attempt has.' })
  async signatures(@Root() webhook: Webhook, @Ctx() context: Context): Promise<DeliverySignature[]> {
    const { headerPrefix, standardWebhooks, signatureForms } = context.config.delivery;
    const options = await optionsOf(webhook, context);
    const all: DeliverySignature[] = [
      { scheme: 'CONTRACT', form: null, headers: signatureHeaders(headerPrefix), overlap: 'PREVIOUS' },
    ];
    if (standardWebhooks) {
      all.push({ scheme: 'STANDARD_WEBHOOKS', form: null, headers: standardHeaders, overlap: 'BOTH' });
    }
    if (options?.compat != null) {
      const { compat, headers, auth } = options;
      const own = [...Object.keys(headers ?? {}), ...(auth == null ? [] : [authHeaderName(auth)])];
      const planned = signatureForms.get(compat)?.planned;
      const form = planned && besideOwn(planned, own);
      all.push({
        scheme: 'COMPAT',
        form: compat,
        headers: form === undefined ? [] : headersOfForm(form),
        overlap: form?.header == null ? null : overlapOf(form),
      });
    }
    return all;
  }
}
