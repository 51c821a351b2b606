import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { FormDialog } from '../../../parts/form-dialog';
import { BriefConflict } from '../brief-conflict';
import type { EndpointDialogProps } from '../use-endpoint';
import { useEndpointForm } from '../use-endpoint-form';
import { contentChange, contentDraftOf } from './content-draft';
import { ContentFields } from './content-fields';
import { DryRunCard } from './preview';
import { useDryRun } from './use-dry-run';
import { usePaths } from './use-paths';
import { UNFINISHED } from './words';

/** Changes which events an endpoint gets, and the format of their bodies. Past events show the effect. */
export function ContentDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { i18n } = useLingui();
  const paths = usePaths(endpoint.eventTypes);
  const form = useEndpointForm({
    endpoint,
    onClose,
    valuesOf: ({ content }) => ({ content: contentDraftOf(content) }),
    inputOf: ({ content }) => ({ content: contentChange(content, paths.kindsAt) }),
    saidAfter: <Trans>Saved. New events follow.</Trans>,
    isHeldApart: ({ content }) => Object.keys(contentChange(content, paths.kindsAt)).length > 0,
  });
  const { value: draft, onChange } = form.field('content');
  const target = useMemo(() => ({ webhookId: endpoint.id }), [endpoint.id]);
  const { issues, unfinished, dryRun } = useDryRun(draft, paths, target, form.issues('content'));
  return (
    <FormDialog
      form={form}
      wide={dryRun ? 'columns' : true}
      title={<Trans>Filter and format</Trans>}
      action={form.conflict ? undefined : <Trans>Save</Trans>}
      refused={unfinished && i18n._(UNFINISHED[unfinished])}
      onClose={onClose}
    >
      {form.conflict && <BriefConflict {...form.conflict} action={<Trans>Save my changes too</Trans>} />}
      <div className={`grid items-start gap-4 ${dryRun ? 'lg:grid-cols-2' : ''}`}>
        <ContentFields
          value={draft}
          onChange={onChange}
          issues={issues}
          paths={paths}
          eventTypes={endpoint.eventTypes}
        />
        {dryRun && (
          <div className="min-w-0 lg:sticky lg:top-0">
            <DryRunCard {...dryRun} />
          </div>
        )}
      </div>
    </FormDialog>
  );
}
