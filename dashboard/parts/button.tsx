import { useLingui } from '@lingui/react/macro';
import { Check, Copy } from 'lucide-react';
import { type ComponentProps, type ReactNode, useEffect, useState } from 'react';

const LOOKS = {
  primary: 'bg-accent text-accent-ink border-transparent hover:brightness-110',
  plain: 'bg-surface text-ink border-line-strong hover:bg-sunken',
  quiet: 'border-transparent text-soft hover:bg-sunken hover:text-ink',
  danger: 'bg-surface text-bad border-line-strong hover:bg-bad-soft hover:border-bad',
} as const;

type ButtonProps = Omit<ComponentProps<'button'>, 'className'> & {
  look?: keyof typeof LOOKS;
  /** Shown before the text; alone for a button whose `label` is its name. */
  icon?: ReactNode;
  label?: string;
  /** Why it cannot be pressed: shown on hover, and read out. */
  refused?: string | undefined;
};

export function Button({ look = 'plain', icon, label, refused, children, type = 'button', ...rest }: ButtonProps) {
  const isRefused = refused !== undefined;
  return (
    <button
      aria-label={label}
      title={refused ?? label}
      {...rest}
      type={type}
      // A refused button can be reached, so that its reason is read out. Pressing it does nothing, and sends no form.
      disabled={rest.disabled && !isRefused}
      aria-disabled={isRefused || undefined}
      onClick={isRefused ? (event) => event.preventDefault() : rest.onClick}
      className={buttonLook(look, children === undefined)}
    >
      {icon}
      {children}
    </button>
  );
}

/** The look of a button, for links that are one. */
export function buttonLook(look: keyof typeof LOOKS = 'plain', iconAlone = false): string {
  return `inline-flex h-7.5 shrink-0 items-center justify-center gap-1.5 rounded-md border text-sm font-medium whitespace-nowrap no-underline transition-colors aria-disabled:opacity-50 disabled:opacity-50 [&_svg]:size-3.5 [&_svg]:shrink-0 ${iconAlone ? 'w-7.5' : 'px-2.5'} ${LOOKS[look]}`;
}

/** Copies a text, and shows for two seconds that it did. */
export function CopyButton({
  text,
  name,
  onCopied,
  children,
}: {
  text: string;
  name: string;
  onCopied?: () => void;
  children?: ReactNode;
}) {
  const { t } = useLingui();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) {
      return;
    }
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <Button
      look={children === undefined ? 'quiet' : 'plain'}
      label={copied ? t`Copied` : t`Copy ${name}`}
      icon={copied ? <Check className="text-good" /> : <Copy />}
      onClick={() =>
        void copyText(text).then(() => {
          setCopied(true);
          onCopied?.();
        })
      }
    >
      {children}
    </Button>
  );
}

/** A frame may be denied the clipboard: then the old way works, which needs a selection. */
async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}
