import { Trans, useLingui } from '@lingui/react/macro';
import { Ellipsis, Pencil, Send } from 'lucide-react';
import { Button } from '../../parts/button';
import { useAllowed } from '../../parts/viewer';
import { ActionMenu } from './action-menu';
import { type Action, useAction } from './actions';
import type { ShownEndpoint } from './use-endpoint';

/** The actions of an endpoint: the usual ones at once, the others in a menu. */
export function ActionBar({ endpoint }: { endpoint: ShownEndpoint }) {
  const { t } = useLingui();
  const [, start] = useAction();
  const mayEdit = useAllowed('webhooks:edit');
  const maySeeSecrets = useAllowed('webhooks:secrets');
  const mayTest = useAllowed('webhooks:test');
  const mayDoBulk = useAllowed('deliveries:bulk');
  const offered: { action: Action; name: string; danger?: boolean }[] = [
    ...(mayEdit && endpoint.active ? [{ action: 'pause' as const, name: t`Pause …` }] : []),
    ...(mayEdit && !endpoint.active ? [{ action: 'enable' as const, name: t`Enable …` }] : []),
    ...(maySeeSecrets ? [{ action: 'rotate' as const, name: t`Rotate the signing secret …` }] : []),
    ...(mayDoBulk && endpoint.active
      ? [
          { action: 'recover' as const, name: t`Send failed deliveries again …` },
          { action: 'replay' as const, name: t`Replay past events …` },
        ]
      : []),
    ...(mayEdit ? [{ action: 'delete' as const, name: t`Delete …`, danger: true }] : []),
  ];
  return (
    <>
      {mayTest && endpoint.active && (
        <Button icon={<Send />} onClick={() => start('test')}>
          <Trans>Send a test</Trans>
        </Button>
      )}
      {mayEdit && (
        <Button icon={<Pencil />} onClick={() => start('edit')}>
          <Trans>Edit</Trans>
        </Button>
      )}
      {offered.length > 0 && (
        <ActionMenu
          label={t`More actions`}
          icon={<Ellipsis className="size-4" />}
          items={offered.map(({ action, name, danger }) => ({
            name,
            danger: danger ?? false,
            run: () => start(action),
          }))}
        />
      )}
    </>
  );
}
