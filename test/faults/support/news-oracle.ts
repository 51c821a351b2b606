import { idToDate } from '../../../src/domain/ids/delivery-id.js';
import type { Evidence, NewsState } from './evidence.js';

const MINUTE_MS = 60_000;
/** An id is made a moment before its event is noted as raised. */
const BETWEEN_MS = 1_000;

/**
 * Checks what the service told of itself: never the webhook that it is about, at most once a minute for each webhook and
 * type, and nothing twice or not at all. Whatever was killed meanwhile, what was raised and what is still to be raised
 * must add up to the deliveries that have failed, and to no more disablings and recoveries than there were.
 */
export function judgeNews(evidence: Evidence): string[] {
  return [...toldToItself(evidence), ...tooOften(evidence), ...miscounted(evidence), ...overcounted(evidence)];
}

function toldToItself({ news, deliveries }: Evidence): string[] {
  const about = new Map(news.map(({ eventId, aboutWebhookId }) => [eventId, aboutWebhookId]));
  return deliveries
    .filter(({ operational, eventId, webhookId }) => operational && about.get(eventId) === webhookId)
    .map(({ id, webhookId }) => `delivery ${id} tells webhook ${webhookId} about itself`);
}

function tooOften({ news }: Evidence): string[] {
  const raised = news.filter(({ eventId }) => eventId !== null);
  return [...Map.groupBy(raised, ({ type, aboutWebhookId }) => `${type} of ${aboutWebhookId}`)].flatMap(
    ([what, events]) => {
      const times = events.map(({ eventId }) => idToDate(eventId!).getTime()).sort((a, b) => a - b);
      const isTooSoon = times.some((time, index) => time - (times[index - 1] ?? 0) < MINUTE_MS - BETWEEN_MS);
      return isTooSoon ? [`${what} was raised more often than once a minute`] : [];
    },
  );
}

const told = (news: readonly NewsState[], type: string, webhookId: number) =>
  news
    .filter((each) => each.type === type && each.aboutWebhookId === webhookId)
    .reduce((sum, { count }) => sum + count, 0);

function miscounted({ news, deliveries, webhooks }: Evidence): string[] {
  return webhooks.flatMap(({ id }) => {
    const failed = deliveries.filter(
      ({ webhookId, status, operational }) => webhookId === id && status === 'FAILED' && !operational,
    ).length;
    const count = told(news, 'delivery.exhausted', id);
    return count === failed ? [] : [`webhook ${id} has ${failed} failed deliveries, and ${count} were told`];
  });
}

/** A webhook that only operational deliveries have disabled is not news, so there may be fewer. */
function overcounted({ news, changes, webhooks }: Evidence): string[] {
  return webhooks.flatMap(({ id }) => {
    const switched = changes.filter(({ webhookId }) => webhookId === id);
    const disabled = switched.filter(({ before, after }) => before.active && !after.active).length;
    const toldDisabled = told(news, 'webhook.disabled', id);
    const toldRecovered = told(news, 'webhook.recovered', id);
    return toldRecovered <= toldDisabled && toldDisabled <= disabled
      ? []
      : [`webhook ${id} was disabled ${disabled} times; told: ${toldDisabled}, and ${toldRecovered} recoveries`];
  });
}
