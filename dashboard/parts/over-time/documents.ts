import { graphql } from '../../api/generated';

export const OVER_TIME = graphql(`
  query OverTime($since: DateTime!, $until: DateTime, $webhookId: ID) {
    queueStats(since: $since, until: $until, webhookId: $webhookId) {
      resolution
      buckets { start due held oldestSeconds isMore }
    }
    failureStats(since: $since, until: $until, webhookId: $webhookId) {
      since
      resolution
      reasons { reason failures buckets }
    }
  }
`);

export const INSTALLATION_OVER_TIME = graphql(`
  query InstallationOverTime($since: DateTime!, $until: DateTime) {
    installation {
      queueStats(since: $since, until: $until) {
        resolution
        buckets { start due held oldestSeconds isMore }
      }
      failureStats(since: $since, until: $until) {
        since
        resolution
        reasons { reason failures buckets }
      }
    }
  }
`);
