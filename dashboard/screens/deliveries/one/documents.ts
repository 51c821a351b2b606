import { graphql } from '../../../api/generated';
import type { DeliveryQuery } from '../../../api/generated/graphql';

/** Apart from those of the list, which do not need them. */

export type Delivery = NonNullable<DeliveryQuery['delivery']>;
export type Attempt = Delivery['attempts'][number];

export const DELIVERY = graphql(`
  query Delivery($id: ID!) {
    delivery(id: $id) {
      ...DeliveryRow
      isCheck
      orderingKey
      path
      waitsFor { id databaseId status }
      settlesUntil
      supersededBy { id databaseId }
      webhook { id databaseId name url externalId active disabledReason holdUntil closedUntil previousSecretExpiresAt content { format } ordering { onFailure } delivery { tls { clientCertificate { subject } } } }
      attempts {
        id
        number
        startedAt
        durationMs
        dnsMs
        connectMs
        tlsMs
        firstByteMs
        statusCode
        errorCode
        url
      }
    }
  }
`);

/** The request and the answer of an attempt. The body is the event's, which may need other rights. */
export const ATTEMPT = graphql(`
  query Attempt($id: ID!, $payloads: Boolean!) {
    node(id: $id) {
      id
      ... on Attempt {
        number
        method
        url
        statusCode
        errorCode
        tokenFailure { code }
        requestHeaders
        requestBody @include(if: $payloads)
        responseHeaders
        responseBody
        responseBodyBase64
        responseTruncated
      }
    }
  }
`);

export const AS_CURL = graphql(`
  query AsCurl($id: ID!, $redacted: Boolean!) {
    delivery(id: $id) { id asCurl(redactSignature: $redacted) }
  }
`);

export const CANCEL_DELIVERY = graphql(`
  mutation CancelDelivery($input: CancelDeliveryInput!) {
    cancelDelivery(input: $input) { delivery { ...DeliveryRow } }
  }
`);

/** Where an event can be sent: an endpoint must be active. */
export const TARGETS = graphql(`
  query Targets {
    webhooks(first: 100, filter: { active: true }) { edges { node { id databaseId name url externalId } } }
  }
`);
