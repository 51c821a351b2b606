import { absolute, useClock } from '../../../parts/time';

/** How long it is until a moment, to the second: `4:05`, `1:04:05`. */
export function Countdown({ to }: { to: string }) {
  const text = useClock((now) => clockText(new Date(to).getTime() - now));
  return (
    <time dateTime={to} title={absolute(to)} className="figures whitespace-nowrap">
      {text}
    </time>
  );
}

function clockText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [hours, ...rest] = parts;
  const shown = hours === 0 ? rest : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}
