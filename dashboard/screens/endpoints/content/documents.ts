import { graphql } from '../../../api/generated';

/** The fields of the events of each type. */
export const TYPE_SCHEMAS = graphql(`
  query TypeSchemas {
    eventTypes { id name reserved schema }
  }
`);

/** The schema that shapes are written with. */
export const EVENT_SCHEMA = graphql(`
  query EventSchema($types: [String!]!) {
    eventSchema(types: $types)
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
