/** How far something has come. @param part from 0 to 1 */
export function ProgressBar({
  label,
  part,
  tone = 'accent',
}: {
  label: string;
  part: number;
  tone?: 'accent' | 'good' | 'bad' | 'faint';
}) {
  const fill = { accent: 'bg-accent', good: 'bg-good', bad: 'bg-bad', faint: 'bg-line-strong' }[tone];
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(part * 100)}
      className="h-1.5 overflow-hidden rounded-full bg-sunken"
    >
      <div
        className={`h-full rounded-full transition-[width] duration-300 ${fill}`}
        style={{ width: `${Math.min(1, part) * 100}%` }}
      />
    </div>
  );
}
