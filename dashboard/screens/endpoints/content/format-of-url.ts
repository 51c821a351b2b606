import { hostOf, readUrl } from '../../../../src/domain/addresses/url-form.js';
import type { ContentFormat } from '../../../api/generated/graphql.js';

/** Where the incoming webhooks of chats are. */
const CHATS: readonly [format: ContentFormat, place: RegExp][] = [
  // Workflows of Slack take JSON of their own.
  ['SLACK', /^hooks\.slack(?:-gov)?\.com\/(?!triggers\/|workflows\/)/],
  ['DISCORD', /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\//],
  ['GOOGLE_CHAT', /^chat\.googleapis\.com\/v1\/spaces\/[^/]+\/messages$/],
  ['TEAMS', /^(?:[\w.-]+\.(?:webhook\.office|logic\.azure|api\.powerplatform)|outlook\.office)\.com\//],
];

/** The format that an endpoint needs by its URL: that of a chat, or JSON. */
export function formatOfUrl(text: string): ContentFormat {
  const url = readUrl(text.trim());
  const place = url instanceof URL ? hostOf(url) + url.pathname : '';
  return CHATS.find(([, pattern]) => pattern.test(place))?.[0] ?? 'JSON';
}
