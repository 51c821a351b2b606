import { Trans } from '@lingui/react/macro';
import { plainUntrusted } from '../untrusted';

interface Step {
  op: string;
  path: string;
  to?: string | null;
  value?: unknown;
}

/** The steps of a converter, in their order. */
export function ConverterSteps({ steps }: { steps: readonly Step[] }) {
  if (steps.length === 0) {
    return (
      <p className="text-sm text-soft">
        <Trans>Payloads fit the version before as they are.</Trans>
      </p>
    );
  }
  return (
    <ol className="list-decimal ps-6 text-sm">
      {steps.map((step) => (
        <li key={JSON.stringify(step)} className="[overflow-wrap:anywhere]">
          <code className="font-mono text-xs">{plainUntrusted(textOf(step))}</code>
        </li>
      ))}
    </ol>
  );
}

/** The step in one line, such as `RENAME email → mail`. */
function textOf({ op, path, to, value }: Step): string {
  const rest = op === 'SET' ? ` = ${JSON.stringify(value)}` : to == null ? '' : ` → ${to}`;
  return `${op} ${path}${rest}`;
}
