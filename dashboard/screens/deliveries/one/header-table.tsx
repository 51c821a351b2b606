import { Trans } from '@lingui/react/macro';
import { Untrusted } from '../../../parts/untrusted';

/** Headers, each in a row; one that came twice in two. */
export function HeaderTable({ label, headers }: { label: string; headers: Record<string, unknown> }) {
  const rows = headerLines(headers);
  if (rows.length === 0) {
    return (
      <p className="text-sm text-soft">
        <Trans>There are no headers.</Trans>
      </p>
    );
  }
  return (
    // A box that scrolls takes the keyboard's focus, so that arrow keys can scroll it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <div tabIndex={0} className="max-h-80 overflow-auto">
      <table aria-label={label} className="w-full table-fixed border-collapse font-mono text-xs">
        <tbody>
          {rows.map(([name, value], index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a header may come twice
            <tr key={`${name} ${index}`} className="border-b border-line last:border-b-0">
              <th scope="row" className="w-2/5 py-1 pe-3 text-start align-top font-normal text-soft">
                <span className="[overflow-wrap:anywhere]">
                  <Untrusted text={name} />
                </span>
              </th>
              <td className="py-1 align-top [overflow-wrap:anywhere]">
                <Untrusted text={value} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Headers as pairs, in their order. */
export function headerLines(headers: Record<string, unknown>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, String(one)]),
  );
}
