import type { EventFilter } from '../../../../src/domain/content/filter.js';
import { isChat } from '../../../../src/domain/content/formats.js';
import { placeholdersIn } from '../../../../src/domain/content/template.js';
import type { ContentFormat, ContentOptionsInput, EndpointOptionsFragment } from '../../../api/generated/graphql.js';
import { type FilterDraft, filterDraftOf, filterOfRows, isWhole, writtenRows } from './filter-rows.js';
import type { KindsAt } from './filter-values.js';

export type Content = EndpointOptionsFragment['content'];

/** The content of an endpoint's requests as somebody writes it. */
export interface ContentDraft {
  filter: FilterDraft;
  format: ContentFormat;
  /** Of a chat message; empty: the usual one. */
  text: string;
  /** In JSON. */
  template: string;
  /** Empty: the whole payload. */
  shape: string;
  /** Empty: the newest versions. */
  release: string;
  /** The content that was stored when the draft was begun. */
  stored: Content;
}

export function contentDraftOf(stored: Content): ContentDraft {
  const { filter, format, text, template, shape, release } = stored;
  return {
    filter: filterDraftOf(filter as EventFilter | null),
    format,
    text: text ?? '',
    template: template == null ? '' : JSON.stringify(template, null, 2),
    shape: shape ?? '',
    release: release ?? '',
    stored,
  };
}

/** The content of an endpoint that is not there yet. */
const NO_CONTENT: Content = {
  filter: null,
  format: 'JSON',
  text: null,
  template: null,
  shape: null,
  release: null,
  warnings: [],
};
export const NEW_CONTENT = contentDraftOf(NO_CONTENT);

/** Whether nobody has begun to write a content other than the plain payload of each event. */
export const isPlain = ({ filter, format, shape, release }: ContentDraft): boolean =>
  filter.rows.length === 0 && filter.text === undefined && format === 'JSON' && shape === '' && release === '';

/**
 * What a draft lacks: event types, a text that is JSON, or the field or the value of a condition.
 */
export type Unfinished = 'types' | 'condition' | 'filter' | 'template';

export function unfinishedIn({ filter, format, template }: ContentDraft): Unfinished | undefined {
  if (filter.text === undefined ? !writtenRows(filter).every(isWhole) : jsonIn(filter.text) === undefined) {
    return filter.text === undefined ? 'condition' : 'filter';
  }
  return format === 'TEMPLATE' && jsonIn(template) === undefined ? 'template' : undefined;
}

/** The content that a draft describes; undefined while it is not finished. */
export function contentOf(draft: ContentDraft, kindsAt: KindsAt): ContentOptionsInput | undefined {
  const { filter, format, text, template, shape, release } = draft;
  if (unfinishedIn(draft) !== undefined) {
    return undefined;
  }
  const wanted = filter.text === undefined ? filterOfRows(filter, kindsAt) : jsonIn(filter.text);
  return {
    filter: wanted as ContentOptionsInput['filter'],
    format: format === 'JSON' ? null : format,
    text: isChat(format) ? orNull(text) : null,
    template: format === 'TEMPLATE' ? jsonIn(template) : null,
    shape: orNull(shape),
    release: orNull(release),
  };
}

/** The placeholders for values of the payload in what is sent; none behind a shape, which has values of its own. */
export function placeholdersOf({ format, text, template, shape }: ContentDraft): string[] {
  const sent = format === 'TEMPLATE' ? jsonIn(template) : isChat(format) ? text : null;
  return orNull(shape) === null ? [...new Set(placeholdersIn(sent))] : [];
}

/** The members of the content that a draft changes. What somebody else has changed since it was begun stays. */
export function contentChange(draft: ContentDraft, kindsAt: KindsAt): ContentOptionsInput {
  const now = (contentOf(draft, kindsAt) ?? {}) as Row;
  // Values that are stored have the types that they have.
  const before = (contentOf(contentDraftOf(draft.stored), () => undefined) ?? {}) as Row;
  return Object.fromEntries(
    Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
}

type Row = Record<string, unknown>;

const orNull = (text: string): string | null => (text.trim() === '' ? null : text);

/** The value that a JSON text is; undefined for another text. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
