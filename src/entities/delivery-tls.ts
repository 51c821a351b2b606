import { Field, InputType, ObjectType } from 'type-graphql';
import type { ShownTls, TlsInput } from '../domain/fields/tls.js';
import { Nullable } from './nullable.js';

@ObjectType({ description: 'The authorities that an endpoint is trusted by, in place of the public ones.' })
class TlsAuthorities {
  @Field(() => [String], { description: 'The subject of each certificate.' })
  subjects!: string[];

  @Field(() => Date, { description: 'When the certificate that ends last ends.' })
  endsAt!: Date;
}

@ObjectType({ description: 'The certificate that requests show to an endpoint.' })
class TlsClientCertificate {
  @Field(() => String, { description: 'The name of its holder, such as `CN=hooks.acme.com, O=Acme`.' })
  subject!: string;

  @Field(() => String, { description: 'The name of the authority that has issued it.' })
  issuer!: string;

  @Field(() => String, { description: 'The serial number, in hexadecimal digits.' })
  serial!: string;

  @Field(() => String, { description: 'The SHA-256 of the certificate, in hexadecimal digits with colons.' })
  fingerprint!: string;

  @Field(() => Date, { description: 'When it ends.' })
  endsAt!: Date;
}

@ObjectType({ description: 'The TLS of connections to an endpoint. The private key is never shown.' })
export class DeliveryTls implements ShownTls {
  @Nullable(() => TlsAuthorities, 'The authorities. Null: the public ones.')
  ca!: TlsAuthorities | null;

  @Nullable(() => TlsClientCertificate, 'The certificate that requests show. Null: none.')
  clientCertificate!: TlsClientCertificate | null;
}

@InputType({ description: 'The TLS of connections to an endpoint: what is left out stays, and null removes.' })
export class DeliveryTlsInput implements TlsInput {
  @Nullable(
    () => String,
    'The certificates of authorities in PEM, which replace the public ones: 1 to 10, of at most 16,384 bytes. One in between is enough, or the own certificate of the endpoint. Null: the public ones again.',
  )
  caPem?: string | null;

  @Nullable(
    () => String,
    'The certificate that requests show, in PEM, with its chain behind it: at most 10 certificates and 16,384 bytes. Null removes it with its key.',
  )
  clientCertificatePem?: string | null;

  @Nullable(
    () => String,
    'Its private key in PEM, which is not encrypted: RSA of 2,048 to 4,096 bits, EC with P-256, P-384 or P-521, or Ed25519. It may be left out with a certificate for the key that the webhook has, and be given alone for the certificate that it has. Null only with a null of the certificate.',
  )
  clientKeyPem?: string | null;
}
