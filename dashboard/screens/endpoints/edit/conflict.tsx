import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '../../../parts/button';
import { Answer } from '../../../parts/page';
import { Untrusted } from '../../../parts/untrusted';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { type EndpointValues, textsOf } from '../form/endpoint-values';
import type { ShownEndpoint } from '../use-endpoint';

/** The changes that somebody else made since the form was opened, and the choice between both versions. */
export function Conflict({
  base,
  theirs,
  mine,
  take,
  overwrite,
}: {
  base: ShownEndpoint;
  theirs: ShownEndpoint;
  mine: EndpointValues;
  take: () => void;
  overwrite: () => void;
}) {
  const { t, i18n } = useLingui();
  const state = ({ active }: { active: boolean }) => (active ? t`active` : t`inactive`);
  const rows = [
    ...textsOf(base).map(([name, before], index) => ({
      name: i18n._(ENDPOINT_FIELDS[name].name),
      before,
      now: textsOf(theirs)[index]?.[1] ?? '',
      mine: textsOf(mine)[index]?.[1] ?? '',
    })),
    { name: t`State`, before: state(base), now: state(theirs), mine: state(theirs) },
  ].filter(({ before, now, mine }) => before !== now || mine !== now);
  return (
    <Answer tone="warn">
      <p className="font-medium">
        <Trans>Someone else changed this endpoint while you were editing it.</Trans>
      </p>
      <table className="mt-1.5 w-full table-fixed text-xs">
        <thead>
          <tr className="text-soft">
            {['', t`Before`, t`Now`, t`Yours`].map((name) => (
              <td key={name} className="pe-3 font-medium first:w-20">
                {name}
              </td>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name} className="align-top">
              <th scope="row" className="py-0.5 pe-3 text-start font-medium">
                {row.name}
              </th>
              {(['before', 'now', 'mine'] as const).map((version) => (
                <td
                  key={version}
                  className={`py-0.5 pe-3 [overflow-wrap:anywhere] ${row[version] === row.before ? 'text-soft' : 'font-medium'}`}
                >
                  <Untrusted text={row[version]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="mt-2.5 flex flex-wrap gap-2">
        <Button onClick={take}>
          <Trans>Use the current values</Trans>
        </Button>
        <Button look="primary" onClick={overwrite}>
          <Trans>Overwrite with mine</Trans>
        </Button>
      </div>
    </Answer>
  );
}
