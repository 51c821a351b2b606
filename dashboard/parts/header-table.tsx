import { Plural, Trans } from '@lingui/react/macro';
import { headerLines } from './header-lines';
import { Untrusted } from './untrusted';

/** Headers, folded: each in a row, one that came twice in two. */
export function HeaderTable({ label, headers }: { label: string; headers: Record<string, unknown> }) {
  const rows = headerLines(headers);
  if (rows.length === 0) {
    return (
      <p className="text-sm text-soft">
        <Trans>No headers.</Trans>
      </p>
    );
  }
  return (
    <details>
      <summary className="cursor-pointer text-sm text-soft">
        <Plural value={rows.length} one="# header" other="# headers" />
      </summary>
      {/* A box that scrolls takes the keyboard's focus, so that arrow keys can scroll it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <div tabIndex={0} className="mt-2 max-h-80 overflow-auto">
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
    </details>
  );
}
