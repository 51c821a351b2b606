import type { Chat } from './formats.js';

/**
 * How a chat writes values of payloads, so that they are what they are: no bold, no link, and above all no mention of
 * anybody (docs/decisions/0057).
 */
export interface ChatMarks {
  bold(text: string): string;
  /** A value in one line. */
  escape(value: string): string;
  /** Text that ends like this is in the address of a link: a placeholder comes there. */
  linkBegun: RegExp;
  /**
   * A value within the address of a link, which it can neither end nor give a label.
   *
   * @param begun the text of the link before it, without values
   */
  escapeInAddress(value: string, begun: string): string;
}

/** Chats do not show it, and read no signs across it. */
const NOTHING = '\u200b';

/** `@` where a chat may read a name. Not in an address such as ada@example.com. */
const MENTION = /@(?=(?:everyone|here)\b(?!\.\w))|(?<![\p{L}\p{N}])@|@$/giu;

/** Blanks of all kinds, and controls: a value must not look like lines of its own. */
const BLANKS = /[\s\p{Cc}\p{Zl}\p{Zp}]+/gu;
const DIRECTIONS = /\p{Bidi_Control}/gu;

const oneLine = (value: string): string => value.toWellFormed().replace(DIRECTIONS, '').replace(BLANKS, ' ').trim();
const plain = (value: string): string => oneLine(value).replace(MENTION, `@${NOTHING}`);

const percentEncoded = (sign: string): string => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Some chats have no escape for these signs, which format only at the edge of a word. Urls stay as they are. */
const EDGE_SIGNS = /https?:\/\/[\w\-./?=&%#:+,;~]+|(?<![\p{L}\p{N}])[*_~`]|[*_~`](?![\p{L}\p{N}])/gu;

const apart = (found: string): string => (found.length === 1 ? `${NOTHING}${found}${NOTHING}` : found);

const NONE = /(?!)/;

/** Links of Slack and Google Chat: `<address>`, `<address|label>`. */
const ANGLE_LINK = /<[^<>|\s]*$/;
const ENDS_OF_ANGLE_LINKS = /[ <>|`]/g;

/** Behind the `<` of a link around a placeholder they begin a mention, and `>` begins a quote. */
const SLACK_BEGINNINGS = /^[!#@>]/;

const slack: ChatMarks = {
  bold: (text) => `*${text}*`,
  escape: (value) =>
    plain(value)
      .replace(SLACK_BEGINNINGS, (sign) => `${NOTHING}${sign}`)
      .replace(/[&<>]/g, (sign) => ENTITIES[sign]!)
      .replace(EDGE_SIGNS, apart),
  linkBegun: ANGLE_LINK,
  escapeInAddress: (value, begun) =>
    oneLine(value)
      .replace(begun === '<' ? SLACK_BEGINNINGS : NONE, (sign) => `${NOTHING}${sign}`)
      .replace(ENDS_OF_ANGLE_LINKS, percentEncoded)
      .replaceAll('&', '&amp;'),
};

/** Links of Discord and Teams: `[label](address)`, `[label](<address>)`. */
const markdownLink: Pick<ChatMarks, 'linkBegun' | 'escapeInAddress'> = {
  linkBegun: /\]\(<?[^()<>\s]*$/,
  escapeInAddress: (value) => oneLine(value).replace(/[ ()<>[\]{}|\\"`]/g, percentEncoded),
};

/**
 * Lists, quotes, and the mentions `<users/…>` and `<users/all>` with the `<` in the owner's text. Google Chat has no
 * escape.
 */
const GOOGLE_BEGINNINGS = /^(?:-(?=\s|$)|>|users\/|all$)/i;

/** Several values may make `users/all` together, of which the first is not a url. */
const NO_URL = /^(?!https?:).+/i;
const ALL = /^all$/i;

const google: ChatMarks = {
  bold: (text) => `*${text}*`,
  escape: (value) =>
    plain(value)
      .replace(GOOGLE_BEGINNINGS, (found) => `${NOTHING}${found}`)
      .replaceAll('<', `<${NOTHING}`)
      .replace(EDGE_SIGNS, apart),
  linkBegun: ANGLE_LINK,
  escapeInAddress: (value, begun) =>
    oneLine(value)
      .replace(begun === '<' ? NO_URL : begun.toLowerCase() === '<users/' ? ALL : NONE, (found) => `${NOTHING}${found}`)
      .replace(ENDS_OF_ANGLE_LINKS, percentEncoded),
};

/** Signs anywhere, and the beginnings of lists. In a url a backslash would be a part of it. */
const DISCORD_SIGNS = /https?:\/\/[\w\-./?=&%#:+,;]+|[\\*_~`|<>[\]]|^(?:[-+#](?=[\s#]|$)|\d+(?=\.(?:\s|$)))/g;

const withBackslash = (found: string): string =>
  /^\d/.test(found) ? `${found}\\` : found.length === 1 ? `\\${found}` : found;

const discord: ChatMarks = {
  bold: (text) => `**${text}**`,
  escape: (value) => plain(value).replace(DISCORD_SIGNS, withBackslash),
  ...markdownLink,
};

/** The Markdown of Adaptive Cards, `<at>` of mentions, and braces of functions such as `{{DATE(…)}}`. */
const TEAMS_SIGNS = /https?:\/\/[\w\-./?=%#:+,;]+|[\\*_[\]<{]|&(?=#?\w+;)|^(?:[-+](?=\s|$)|\d+(?=\.(?:\s|$)))/g;

const teams: ChatMarks = {
  bold: (text) => `**${text}**`,
  escape: (value) =>
    plain(value).replace(TEAMS_SIGNS, (found) =>
      found === '<' || found === '{' ? `${found}${NOTHING}` : (ENTITIES[found] ?? withBackslash(found)),
    ),
  ...markdownLink,
};

export const CHAT_MARKS: Readonly<Record<Chat, ChatMarks>> = {
  SLACK: slack,
  DISCORD: discord,
  TEAMS: teams,
  TEAMS_CARD: teams,
  GOOGLE_CHAT: google,
};
