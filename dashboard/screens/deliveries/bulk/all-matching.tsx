import { Menu } from '@base-ui/react/menu';
import { Trans } from '@lingui/react/macro';
import { ChevronDown } from 'lucide-react';
import { memo, useState } from 'react';
import { buttonLook } from '../../../parts/button';
import type { DeliveryFilterInput, Filters } from '../filters/filters';
import { MatchingDialog } from './matching-dialog';

/** The actions on all deliveries that match the filters, shown or not. */
export const AllMatching = memo(function AllMatching(props: {
  filters: Filters;
  filter: DeliveryFilterInput;
  onChange: (change: Filters) => void;
}) {
  const [doing, setDoing] = useState<'resend' | 'cancel'>();
  const look = 'flex h-7 cursor-default items-center rounded-md px-2 text-sm outline-none data-highlighted:bg-sunken';
  return (
    <>
      <Menu.Root>
        <Menu.Trigger className={buttonLook('plain')}>
          <Trans>All that match</Trans>
          <ChevronDown aria-hidden />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner sideOffset={6} align="end" className="z-20">
            <Menu.Popup className="min-w-40 rounded-lg border border-line bg-raised p-1 shadow-xl">
              <Menu.Item className={look} onClick={() => setDoing('resend')}>
                <Trans>Send again</Trans>
              </Menu.Item>
              <Menu.Item className={look} onClick={() => setDoing('cancel')}>
                <Trans>Cancel</Trans>
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {doing !== undefined && <MatchingDialog {...props} action={doing} onClose={() => setDoing(undefined)} />}
    </>
  );
});
