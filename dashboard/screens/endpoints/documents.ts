import { graphql } from '../../api/generated';

graphql(`
  fragment EndpointVerification on Webhook {
    verification { status checkedAt optionsCode challengeCode method nextAt }
  }
`);

export const ENDPOINT = graphql(`
  query Endpoint($id: ID!) {
    webhook(id: $id) {
      ...EndpointRow
      ...EndpointOptions
      createdAt
      previousSecretExpiresAt
      nextProbeAt
      ...EndpointVerification
      backlog { due scheduled held waiting countMax oldestDueAt }
      endpointState { inFlight window waiting meanMs }
      delivery { ratePerSecond }
      signatures { scheme form headers overlap }
      latest: deliveries(first: 5) { edges { node { ...DeliveryRow isCheck } } }
      lastDay { start attempts failures p95Ms }
      failures { errorCode deliveries }
      nextAttempts(first: 5) { ...DeliveryRow }
      failed: deliveries(first: 1, filter: { status: FAILED }) { edges { node { ...DeliveryRow isCheck } } }
    }
    viewer {
      tenant {
        id
        deliveryDefaults { own }
        limits { requestsPerSecond requestsAtOnce }
        signingKeys { kid jwksUrl usedFrom endsAt }
      }
    }
  }
`);

export const ENDPOINT_OF = graphql(`
  query EndpointOfExternalId($externalId: String!) {
    webhook(externalId: $externalId) { id databaseId }
  }
`);

export const ENDPOINT_STATS = graphql(`
  query EndpointStats($id: ID!, $since: DateTime!, $until: DateTime, $eventType: String) {
    webhook(id: $id) {
      id
      stats(since: $since, until: $until, eventType: $eventType) {
        since
        until
        buckets { start successes failures p50Ms p95Ms p99Ms }
        total { attempts successes failures successRate p50Ms p95Ms p99Ms }
      }
    }
  }
`);

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

/** Sends a test to an endpoint that is not active. */

export const CHECK_ENDPOINT = graphql(`
  mutation CheckEndpoint($input: CheckWebhookInput!) {
    checkWebhook(input: $input) { delivery { ...DeliveryRow } }
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

/** The proof of an endpoint, read again while it is being asked. */
export const OWNERSHIP = graphql(`
  query EndpointOwnership($id: ID!) {
    webhook(id: $id) { id active disabledReason ...EndpointVerification }
  }
`);

export const VERIFY_ENDPOINT = graphql(`
  mutation VerifyEndpoint($input: VerifyWebhookInput!) {
    verifyWebhook(input: $input) { webhook { id ...EndpointVerification } }
  }
`);

/** A test's delivery with its attempts; the subscription brings the same fields, so that the answer comes by itself. */

export const TEST_RESULT = graphql(`
  query EndpointTestResult($id: ID!) {
    delivery(id: $id) { ...DeliveryRow attempts { id number startedAt durationMs statusCode errorCode } }
  }
`);

export const TEST_UPDATES = graphql(`
  subscription EndpointDeliveries($webhookId: ID!) {
    deliveryUpdated(webhookId: $webhookId) {
      cursor
      resync
      delivery { ...DeliveryRow attempts { id number startedAt durationMs statusCode errorCode } }
    }
  }
`);
