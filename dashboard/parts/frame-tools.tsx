import { Trans, useLingui } from '@lingui/react/macro';
import { Search } from 'lucide-react';
import { type ComponentType, useState } from 'react';
import { Button } from './button';
import { Dialog } from './dialog';
import { useShortcut } from './keyboard';
import { LiveLight } from './live-light';
import { Preferences } from './preferences';
import { keepTyped } from './typed-ahead';
import { whenWanted } from './when-wanted';

const Shortcuts = whenWanted(() => import('./shortcuts'));

export interface FinderProps {
  open: boolean;
  onClose: () => void;
}

/**
 * What each frame has in a corner: the live light, the search for ids, preferences and the list of keys.
 *
 * @param finder what is searched: the ids of a tenant, or the tenants.
 * @param narrow without words, for a corner with little room.
 */
export function FrameTools({
  finder: Finder,
  canLeave,
  narrow = false,
}: {
  finder: ComponentType<FinderProps & { wanted: boolean }>;
  canLeave: boolean;
  narrow?: boolean;
}) {
  const { t } = useLingui();
  const [finding, setFinding] = useState(false);
  const [helping, setHelping] = useState(false);
  const find = () => {
    keepTyped();
    setFinding(true);
  };
  useShortcut('mod+k', t`Go to an id or a screen`, find);
  useShortcut('?', t`Show these keys`, () => setHelping(true));
  return (
    <div className={`ms-auto flex items-center ${narrow ? 'gap-0.5' : 'gap-2'}`}>
      <LiveLight narrow={narrow} />
      <Button
        look={narrow ? 'quiet' : 'plain'}
        icon={<Search />}
        onClick={find}
        {...(narrow ? { label: t`Find an id (Ctrl K)` } : { title: t`Find an id` })}
      >
        {narrow ? undefined : (
          <>
            <span className="max-sm:sr-only">
              <Trans>Find</Trans>
            </span>
            <kbd className="rounded-xs bg-sunken px-1 font-sans text-2xs text-faint max-sm:hidden">Ctrl K</kbd>
          </>
        )}
      </Button>
      <Preferences onHelp={() => setHelping(true)} canLeave={canLeave} />
      <Finder wanted={finding} open={finding} onClose={() => setFinding(false)} />
      <Dialog open={helping} onClose={() => setHelping(false)} title={<Trans>Shortcuts</Trans>}>
        <Shortcuts wanted={helping} />
      </Dialog>
    </div>
  );
}
