import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from './button';

/** A part of a form that few people need: a sentence and a button, until somebody wants it. Then the focus is in it. */
export function Fold({
  isOpen,
  summary,
  action,
  children,
}: {
  /** Whether there is something in it to see. */
  isOpen: boolean;
  summary: ReactNode;
  action: ReactNode;
  children: ReactNode;
}) {
  const [isWanted, setWanted] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isWanted) {
      box.current?.querySelector<HTMLElement>('input, textarea, select')?.focus();
    }
  }, [isWanted]);
  return isOpen || isWanted ? (
    <div ref={box}>{children}</div>
  ) : (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <p className="min-w-0 flex-1 basis-60 text-sm text-soft">{summary}</p>
      <Button onClick={() => setWanted(true)}>{action}</Button>
    </div>
  );
}
