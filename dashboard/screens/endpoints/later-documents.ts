import { graphql } from '../../api/generated';

/** Apart from those of the page itself: dialogs and what comes up need them, and come later. */

export const CREATE_ENDPOINT = graphql(`
  mutation CreateEndpoint($input: CreateWebhookInput!, $withSecret: Boolean!) {
    createWebhook(input: $input) { secret @include(if: $withSecret) webhook { ...EndpointRow } }
  }
`);

export const UPDATE_ENDPOINT = graphql(`
  mutation UpdateEndpoint($input: UpdateWebhookInput!) {
    updateWebhook(input: $input) { webhook { ...EndpointRow } }
  }
`);

export const DELETE_ENDPOINT = graphql(`
  mutation DeleteEndpoint($input: DeleteWebhookInput!) {
    deleteWebhook(input: $input) { deletedWebhookId }
  }
`);

export const ROTATE_SECRET = graphql(`
  mutation RotateEndpointSecret($input: RotateWebhookSecretInput!) {
    rotateWebhookSecret(input: $input) { secret webhook { ...EndpointRow previousSecretExpiresAt } }
  }
`);

export const ROTATE_SIGNING_KEY = graphql(`
  mutation RotateTenantSigningKey($input: RotateSigningKeyInput!) {
    rotateSigningKey(input: $input) { tenant { id signingKeys { kid jwksUrl usedFrom endsAt } } }
  }
`);

export const RELEASE_HELD = graphql(`
  mutation ReleaseEndpointHeld($input: ReleaseHeldInput!) {
    releaseHeld(input: $input) { webhook { ...EndpointRow } }
  }
`);

/** Sends a delivery to an endpoint that failures have disabled. A success enables it. */
export const PROBE_ENDPOINT = graphql(`
  mutation ProbeEndpoint($input: ProbeWebhookInput!) {
    probeWebhook(input: $input) { delivery { id } }
  }
`);

export const SAMPLE_PAYLOAD = graphql(`
  query EndpointTestSample($name: String!) {
    eventType(name: $name) { id name reserved samplePayload }
  }
`);

/** A test's delivery with its attempts; the subscription brings the same fields, so that the answer comes by itself. */
export const TEST_RESULT = graphql(`
  query EndpointTestResult($id: ID!) {
    delivery(id: $id) { ...DeliveryRow attempts { id number startedAt durationMs statusCode errorCode } }
  }
`);
