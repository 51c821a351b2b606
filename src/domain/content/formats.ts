/** The forms in which an event is sent (docs/content.md, "Formats"), with their meaning. */
export const CONTENT_FORMATS = {
  JSON: 'The payload as it is.',
  CLOUDEVENTS_BINARY:
    'The payload as it is, and the headers of CloudEvents: `ce-id`, `ce-source`, `ce-type`, `ce-time`.',
  CLOUDEVENTS_STRUCTURED: 'An envelope of CloudEvents, which has the payload as `data`.',
  SLACK: 'A message to a Slack incoming webhook.',
  TEAMS: 'A message with an Adaptive Card, for a workflow of Microsoft Teams.',
  TEAMS_CARD: 'The Adaptive Card alone, for a workflow of Microsoft Teams that adds the message itself.',
  DISCORD: 'A message to a Discord webhook.',
  GOOGLE_CHAT: 'A message to a webhook of a space in Google Chat.',
  TEMPLATE: 'JSON of your own: `template`, filled with values of the event.',
} as const;
export type ContentFormat = keyof typeof CONTENT_FORMATS;

export const CHATS = ['SLACK', 'TEAMS', 'TEAMS_CARD', 'DISCORD', 'GOOGLE_CHAT'] as const;
export type Chat = (typeof CHATS)[number];

export const isChat = (format: string | null | undefined): format is Chat =>
  (CHATS as readonly unknown[]).includes(format);

export const TEXT_CHARS_MAX = 2_000;
export const TEMPLATE_BYTES_MAX = 16_384;

/** Chats refuse more messages than this. */
const CHAT_RATE_PER_SECOND = 1;

/** Values of a webhook that nobody has set, where its format has another one than the installation. */
export const defaultsOfFormat = (row: object | null): { ratePerSecond?: number } =>
  isChat((row as { format?: string | null } | null)?.format) ? { ratePerSecond: CHAT_RATE_PER_SECOND } : {};
