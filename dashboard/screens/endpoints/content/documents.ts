import { graphql } from '../../../api/generated';

/** The fields of the events of each type. */
export const TYPE_SCHEMAS = graphql(`
  query TypeSchemas {
    eventTypes { id name reserved schema }
  }
`);

/** The schema that shapes are written with. */
export const EVENT_SCHEMA = graphql(`
  query EventSchema($types: [String!]!, $release: String) {
    eventSchema(types: $types, release: $release)
  }
`);

/** The releases that an endpoint can be pinned to, the newest first. */
export const RELEASES = graphql(`
  query Releases {
    releases { id name }
  }
`);

/** Changes of event types since the release of an endpoint. */
export const OLDER_VERSIONS = graphql(`
  query OlderVersions($id: ID!) {
    webhook(id: $id) {
      id
      olderVersions { eventType newest pinned sent steps { op path to value } }
    }
    releases { id name }
  }
`);

/** The newest event of an endpoint as it is sent, and as it would be in the newest versions. */
export const BOTH_VERSIONS = graphql(`
  query BothVersions($pinned: PreviewContentInput!, $newest: PreviewContentInput!) {
    pinned: previewContent(input: $pinned) { samples { event { id databaseId eventType } body } }
    newest: previewContent(input: $newest) { samples { event { id databaseId eventType } body } }
  }
`);

/** The effect of a content, saved or not, on past events. */
export const PREVIEW_CONTENT = graphql(`
  query PreviewContent($input: PreviewContentInput!) {
    previewContent(input: $input) {
      matched
      total
      samples {
        event { id databaseId eventType createdAt body }
        matches
        failedCondition { path op value negated pointer }
        body
        headers
      }
    }
  }
`);
