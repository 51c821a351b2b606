import { Trans, useLingui } from '@lingui/react/macro';
import { Untrusted } from '../untrusted';
import type { Property } from './schema-properties';

/** Deeper ones stand no further in: the table would have no room for the rest. */
const INDENT_MAX = 6;

/** The properties of a payload, nested ones set in below their parents. */
export function PropertyTable({ properties }: { properties: readonly Property[] }) {
  const { t } = useLingui();
  if (properties.length === 0) {
    return (
      <p className="px-3.5 py-6 text-center text-sm text-soft">
        <Trans>The schema lists no properties: it accepts any object.</Trans>
      </p>
    );
  }
  return (
    <div className="overflow-x-auto">
      <table aria-label={t`Properties`} className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-line text-xs text-soft">
            <Heading>{t`Property`}</Heading>
            <Heading>{t`Type`}</Heading>
            <Heading look="max-md:hidden">{t`Rules`}</Heading>
            <Heading look="w-1/2 max-sm:hidden">{t`Description`}</Heading>
          </tr>
        </thead>
        <tbody>
          {properties.map(({ path, name, depth, type, required, rules, description }) => (
            <tr key={path} className="border-b border-line align-baseline last:border-b-0 hover:bg-sunken">
              <th scope="row" title={path} className="px-3.5 py-1.5 text-start font-normal whitespace-nowrap">
                <span
                  className="inline-flex items-baseline gap-1.5"
                  style={{ paddingInlineStart: `${Math.min(depth, INDENT_MAX) * 1.1}rem` }}
                >
                  {depth > 0 && (
                    <span aria-hidden className="text-faint">
                      └
                    </span>
                  )}
                  <code className="font-mono text-xs font-medium">
                    <Untrusted text={name} />
                  </code>
                  {required && <span className="text-2xs font-medium text-warn">{t`required`}</span>}
                </span>
              </th>
              <td className="px-2 py-1.5 font-mono text-xs text-info">
                <Untrusted text={type} />
              </td>
              <td className="px-2 py-1.5 font-mono text-xs text-soft [overflow-wrap:anywhere] max-md:hidden">
                <Untrusted text={rules.join(' · ')} />
              </td>
              <td className="px-2 py-1.5 pe-3.5 text-soft [overflow-wrap:anywhere] max-sm:hidden">
                <Untrusted text={description ?? ''} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Heading({ look = '', children }: { look?: string; children: string }) {
  return (
    <th scope="col" className={`h-8 px-2 text-start font-medium whitespace-nowrap first:ps-3.5 last:pe-3.5 ${look}`}>
      {children}
    </th>
  );
}
