import type { EventFilter } from '../../../../src/domain/content/filter.js';
import { isChat } from '../../../../src/domain/content/formats.js';
import type { ContentFormat, ContentOptionsInput, EndpointOptionsFragment } from '../../../api/generated/graphql.js';
import { type FilterDraft, filterDraftOf, filterOfRows, isWhole } from './filter-rows.js';

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
  /** The content that was stored when the draft was begun. */
  stored: Content;
}

export function contentDraftOf(stored: Content): ContentDraft {
  const { filter, format, text, template, shape } = stored;
  return {
    filter: filterDraftOf(filter as EventFilter | null),
    format,
    text: text ?? '',
    template: template == null ? '' : JSON.stringify(template, null, 2),
    shape: shape ?? '',
    stored,
  };
}

/** Whether the values at a path are texts. */
type IsText = (path: string) => boolean;

/** The content that a draft describes; undefined while a text in it is no JSON. */
export function contentOf(draft: ContentDraft, isText: IsText): ContentOptionsInput | undefined {
  const { format, text, template, shape } = draft;
  const filter = filterOf(draft.filter, isText);
  const tree = format === 'TEMPLATE' ? jsonIn(template) : null;
  if (filter === undefined || tree === undefined) {
    return undefined;
  }
  return {
    filter: filter as ContentOptionsInput['filter'],
    format: format === 'JSON' ? null : format,
    text: isChat(format) ? orNull(text) : null,
    template: tree,
    shape: orNull(shape),
  };
}

/** A filter as the API takes it; null: every event passes; undefined: the text is no JSON. */
function filterOf(draft: FilterDraft, isText: IsText): EventFilter | null | undefined {
  if (draft.text !== undefined) {
    return jsonIn(draft.text) as EventFilter | undefined;
  }
  return draft.rows.every(isWhole) ? filterOfRows(draft, isText) : undefined;
}

/** The members of the content that a draft changes. What somebody else has changed since it was begun stays. */
export function contentChange(draft: ContentDraft, isText: IsText): ContentOptionsInput {
  const [now, before] = [draft, contentDraftOf(draft.stored)].map((one) => contentOf(one, isText) ?? {}) as [Row, Row];
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
