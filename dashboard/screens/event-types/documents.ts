import { graphql } from '../../api/generated';

graphql(`
  fragment EventTypeRow on EventType {
    id
    name
    description
    reserved
    deprecatedAt
    hiddenAt
    version
    createdAt
  }
`);

graphql(`
  fragment EventTypeWhole on EventType {
    ...EventTypeRow
    schema
    versions { version createdAt schema converter { op path to value } converterFrom }
  }
`);

export const EVENT_TYPES = graphql(`
  query EventTypes {
    eventTypes { ...EventTypeRow }
  }
`);

export const EVENT_TYPE = graphql(`
  query EventType($name: String!) {
    eventType(name: $name) { ...EventTypeWhole samplePayload }
  }
`);

graphql(`
  fragment ConverterProof on ConverterProof {
    fits
    complete
    sampleIssues { path detail }
    eventsLookedAt
    eventsJudged
    eventsFit
    misfits { tenant { id databaseId name externalId } eventId issues { path detail } }
  }
`);

/** Whether a converter fits the events of the last day. */
export const CONVERTER_PROOF = graphql(`
  query ConverterProof($eventType: String!, $version: Int!) {
    converterProof(eventType: $eventType, version: $version) { ...ConverterProof }
  }
`);

export const CREATE_RELEASE = graphql(`
  mutation CreateRelease($name: String!) {
    createRelease(input: { name: $name }) { release { id name } }
  }
`);

export const REGISTER_EVENT_TYPE = graphql(`
  mutation RegisterEventType($name: String!, $description: String!, $schema: JSONObject!) {
    registerEventType(input: { name: $name, description: $description, schema: $schema }) {
      eventType { ...EventTypeWhole }
    }
  }
`);

export const UPDATE_EVENT_TYPE = graphql(`
  mutation UpdateEventType(
    $name: String!
    $description: String
    $schema: JSONObject
    $converter: [ConverterStepInput!]
  ) {
    updateEventType(input: { name: $name, description: $description, schema: $schema, converter: $converter }) {
      eventType { ...EventTypeWhole samplePayload }
    }
  }
`);

graphql(`
  fragment SchemaImpact on SchemaImpact {
    breaks
    complete
    eventsLookedAt
    eventsRefused
    refusedEvents { tenant { id databaseId name externalId } eventId issues { path detail } }
    webhookCount
    brokenOptionCount
    brokenOptions { tenant { id databaseId name externalId } webhookId option path code types message }
  }
`);

/** Finds what another schema breaks, and changes nothing. */
export const TRY_EVENT_TYPE = graphql(`
  mutation TryEventType(
    $name: String!
    $description: String
    $schema: JSONObject!
    $converter: [ConverterStepInput!]
  ) {
    updateEventType(
      input: { name: $name, description: $description, schema: $schema, converter: $converter, dryRun: true }
    ) {
      impact { ...SchemaImpact }
    }
  }
`);

export const DEPRECATE_EVENT_TYPE = graphql(`
  mutation DeprecateEventType($name: String!, $deprecated: Boolean!) {
    deprecateEventType(input: { name: $name, deprecated: $deprecated }) {
      eventType { ...EventTypeRow }
    }
  }
`);

export const HIDE_EVENT_TYPE = graphql(`
  mutation HideEventType($name: String!, $hidden: Boolean!) {
    hideEventType(input: { name: $name, hidden: $hidden }) {
      eventType { ...EventTypeRow }
    }
  }
`);

/** The receivers of a type's events. */
export const TYPE_USAGE = graphql(`
  query TypeUsage($name: String!, $since: DateTime!) {
    installation {
      stats(eventType: $name, since: $since, resolution: DAY) { total { attempts } }
    }
    tenants(first: 100) {
      edges {
        node {
          id
          databaseId
          name
          stats(eventType: $name, since: $since, resolution: DAY) { total { attempts } }
        }
      }
    }
  }
`);
