import { useMemo, useState } from 'react';
import type { Issue } from '../../../parts/issues';
import { type ContentDraft, contentChange, contentOf, type Unfinished, unfinishedIn } from './content-draft';
import type { KnownPaths } from './use-paths';
import { type OwnEvent, type PreviewState, type PreviewTarget, usePreview } from './use-preview';

/** The dry run of a content. */
export interface DryRun {
  preview: PreviewState;
  unfinished: Unfinished | undefined;
  own: OwnEvent | undefined;
  onOwn: (own: OwnEvent | undefined) => void;
  /** The event types that the endpoint may get. */
  types: readonly string[];
}

/**
 * Tries a content while somebody writes it.
 *
 * @param refused the rules that it broke when it was sent, with paths from the content on
 * @returns those, or else the ones that it breaks now; what it lacks; its dry run, for who can read events
 */
export function useDryRun(
  draft: ContentDraft,
  paths: KnownPaths,
  target: PreviewTarget,
  refused: readonly Issue[],
): { issues: readonly Issue[]; unfinished: Unfinished | undefined; dryRun: DryRun | undefined } {
  const isNew = !('webhookId' in target);
  const content = useMemo(() => {
    const whole = contentOf(draft, paths.kindsAt);
    // What is not sent when it is created is as the service has it then, such as the release.
    return whole && isNew ? contentChange(draft, paths.kindsAt) : whole;
  }, [draft, paths, isNew]);
  const [own, onOwn] = useState<OwnEvent>();
  const hasTypes = 'webhookId' in target || target.eventTypes.length > 0;
  const preview = usePreview(target, hasTypes ? content : undefined, own);
  const unfinished = hasTypes ? unfinishedIn(draft) : 'types';
  return {
    issues: refused.length > 0 ? refused : (preview?.issues ?? []),
    unfinished,
    dryRun: preview && { preview, unfinished, own, onOwn, types: paths.types },
  };
}
