import type { ReactNode } from 'react';

/** The text in place of a chart that has no figures. */
export function EmptyChart({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <div className="flex h-50 flex-col items-center justify-center gap-1 text-center text-sm text-soft">
      <p>{title}</p>
      {children && <p className="text-xs text-faint">{children}</p>}
    </div>
  );
}
