import { Trans, useLingui } from '@lingui/react/macro';
import { Ellipsis, Pencil, Send } from 'lucide-react';
import { Button } from '../../../parts/button';
import { Menu } from '../../../parts/menu';
import { type Action, useAction, useOffered } from '../actions';
import type { ShownEndpoint } from '../use-endpoint';

/** The actions of an endpoint: the usual ones at once, the others in a menu. */
export function ActionBar({ endpoint }: { endpoint: ShownEndpoint }) {
  const { t } = useLingui();
  const [, start] = useAction();
  const isOffered = useOffered(endpoint);
  const more: { action: Action; name: string; danger?: boolean }[] = [
    { action: 'pause', name: t`Pause` },
    { action: 'enable', name: t`Enable` },
    { action: 'release', name: t`Release held deliveries` },
    { action: 'rotate', name: t`Rotate the signing secret` },
    { action: 'attempt', name: t`Try waiting retries now` },
    { action: 'recover', name: t`Send failed deliveries again` },
    { action: 'replay', name: t`Replay past events` },
    { action: 'delete', name: t`Delete`, danger: true },
  ];
  const offered = more.filter(({ action }) => isOffered(action));
  return (
    <>
      {isOffered('test') && (
        <Button icon={<Send />} onClick={() => start('test')}>
          <Trans>Send a test</Trans>
        </Button>
      )}
      {isOffered('edit') && (
        <Button icon={<Pencil />} onClick={() => start('edit')}>
          <Trans>Edit</Trans>
        </Button>
      )}
      {offered.length > 0 && (
        <Menu
          label={t`More actions`}
          items={offered.map(({ action, ...item }) => ({ ...item, run: () => start(action) }))}
        >
          <Ellipsis className="size-4" />
        </Menu>
      )}
    </>
  );
}
