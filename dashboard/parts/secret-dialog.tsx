import { Trans, useLingui } from '@lingui/react/macro';
import { ChevronDown } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button, CopyButton } from './button';
import { Dialog } from './dialog';
import { Menu } from './menu';
import type { MenuItem } from './menu-popup';
import { Answer } from './page';

/** Shows a secret that cannot be shown again, and asks once more before it closes when nobody has copied it. */
export function SecretDialog({
  title,
  secret,
  name,
  hint,
  leave,
  ways = [],
  wide,
  onClose,
  children,
}: {
  title: ReactNode;
  /** Null where the session may not see it. */
  secret: string | null;
  /** Names it in "Copy the secret". */
  name: string;
  hint: ReactNode;
  leave: ReactNode;
  /** Other ways to leave, in a menu. */
  ways?: readonly { name: string; go: () => void }[];
  wide?: boolean;
  onClose: () => void;
  children?: ReactNode;
}) {
  const [isSafe, setIsSafe] = useState(secret === null);
  const [asked, setAsked] = useState(false);
  const asks = asked && !isSafe;
  const leaveBy = (go: () => void) => () => (isSafe || asked ? go() : setAsked(true));
  return (
    <Dialog
      open
      stays
      width={wide ? 'wide' : 'normal'}
      onClose={onClose}
      title={title}
      actions={
        <>
          <OtherWays items={ways.map(({ name, go }) => ({ name, run: leaveBy(go) }))} />
          <Button look={asks ? 'danger' : 'primary'} onClick={leaveBy(onClose)}>
            {asks ? <Trans>Close without copying</Trans> : leave}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {asks && (
          <Answer tone="warn">
            <Trans>You have not copied it. It cannot be shown again.</Trans>
          </Answer>
        )}
        <p className="text-sm">{hint}</p>
        {secret !== null && <Secret text={secret} name={name} onCopied={() => setIsSafe(true)} />}
        {children}
      </div>
    </Dialog>
  );
}

function OtherWays({ items }: { items: readonly MenuItem[] }) {
  return (
    items.length > 0 && (
      <Menu items={items}>
        <Trans>More</Trans>
        <ChevronDown />
      </Menu>
    )
  );
}

function Secret({ text, name, onCopied }: { text: string; name: string; onCopied: () => void }) {
  const { t } = useLingui();
  return (
    <div className="flex flex-wrap items-center gap-2">
      <code
        onCopy={onCopied}
        className="min-w-0 flex-1 basis-72 rounded-md border border-line-strong bg-sunken px-2.5 py-1.5 font-mono text-xs [overflow-wrap:anywhere] select-all"
      >
        {text}
      </code>
      <CopyButton text={text} name={name} onCopied={onCopied}>
        {t`Copy`}
      </CopyButton>
    </div>
  );
}
