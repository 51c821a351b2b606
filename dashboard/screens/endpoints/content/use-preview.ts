import { useMemo, useState } from 'react';
import { type CombinedError, useQuery } from 'urql';
import type { ContentOptionsInput, PreviewContentInput, PreviewContentQuery } from '../../../api/generated/graphql';
import { type Issue, issuesOf } from '../../../parts/issues';
import { parseObject } from '../../../parts/json-field';
import { useSettled } from '../../../parts/use-settled';
import { useAllowed } from '../../../parts/viewer';
import { PREVIEW_CONTENT } from './documents';

type Preview = PreviewContentQuery['previewContent'];
export type Sample = NonNullable<Preview>['samples'][number];

/** An event that never was. */
export interface OwnEvent {
  eventType: string;
  /** The payload as it is written. */
  text: string;
  /** The state before the change, as it is written; empty: there is none. */
  previous: string;
}

/** What the content is for: a webhook, or one that does not exist yet. */
export type PreviewTarget = { webhookId: string } | { eventTypes: readonly string[] };

export interface PreviewState {
  /** The last one that the service has given: of an earlier content, while the present one cannot be tried. */
  answer: Preview | undefined;
  /** The rules that the content breaks, with paths from the content on. */
  issues: readonly Issue[];
  error: CombinedError | undefined;
  /** Whether another answer is asked for. */
  isBehind: boolean;
}

const PREVIEWED_EVENTS = 100;
/** A pause in typing of this length asks for the preview. */
export const PAUSE_MS = 400;

/**
 * Tries a content on events while somebody writes it.
 *
 * @param content undefined while it is not finished
 * @param target the same object until it changes
 * @param own in place of past events
 * @returns undefined for who cannot read events
 */
export function usePreview(
  target: PreviewTarget,
  content: ContentOptionsInput | undefined,
  own: OwnEvent | undefined,
): PreviewState | undefined {
  const mayRead = useAllowed('events:read');
  // Drafts that make the same input are the same question.
  const now = useMemo(() => {
    const events = eventsOf(own);
    return content && events && JSON.stringify({ ...target, content, ...events });
  }, [target, content, own]);
  const settled = useSettled(now, PAUSE_MS);
  const input = useMemo(() => JSON.parse(settled ?? '{}') as PreviewContentInput, [settled]);
  const [{ data, error, fetching }] = useQuery({
    query: PREVIEW_CONTENT,
    variables: { input },
    pause: !mayRead || settled === undefined,
    requestPolicy: 'network-only',
  });
  const [answer, setAnswer] = useState<Preview>();
  if (data?.previewContent != null && data.previewContent !== answer) {
    setAnswer(data.previewContent);
  }
  if (!mayRead) {
    return undefined;
  }
  const isBehind = fetching || settled !== now;
  const refusal = isBehind || now === undefined ? undefined : error;
  const issues = issuesOf(refusal)
    .filter(({ path }) => path[1] === 'content')
    .map((issue) => ({ ...issue, path: issue.path.slice(2) }));
  return { answer, issues, error: issues.length > 0 ? undefined : refusal, isBehind };
}

/** Undefined while the payload, or the state before, is not an object. */
function eventsOf(own: OwnEvent | undefined): Partial<PreviewContentInput> | undefined {
  if (own === undefined) {
    return { last: PREVIEWED_EVENTS };
  }
  const payload = parseObject(own.text);
  const previous = previousIn(own.previous);
  return 'value' in payload && 'value' in previous
    ? { eventTypes: [own.eventType], payload: payload.value, ...(previous.value && { previous: previous.value }) }
    : undefined;
}

/** The state before the change that somebody has written; null: none. */
export const previousIn = (text: string): ReturnType<typeof parseObject> | { value: null } =>
  text.trim() === '' ? { value: null } : parseObject(text);
