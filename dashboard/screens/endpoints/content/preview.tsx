import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { type ReactNode, useState } from 'react';
import { Select } from '../../../parts/field';
import { HeaderTable } from '../../../parts/header-table';
import { JsonView } from '../../../parts/json-view';
import { Failure } from '../../../parts/page';
import { Segments } from '../../../parts/segments';
import { shortly } from '../../../parts/time';
import { count } from '../../../text/numbers';
import { ConditionWords } from './condition-words';
import { OwnEventFields } from './own-event';
import type { OwnEvent, PreviewState, Sample } from './use-preview';

/** The effect of a content: how many of the past events match, and the body of one of them before and after. */
export function PreviewCard({
  preview: { answer, error, isBehind },
  own,
  onOwn,
  types,
}: {
  preview: PreviewState;
  own: OwnEvent | undefined;
  onOwn: (own: OwnEvent | undefined) => void;
  /** The event types that the endpoint may get. */
  types: readonly string[];
}) {
  const { t } = useLingui();
  const isOwn = own !== undefined;
  return (
    <section
      aria-label={t`Dry run`}
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-3.5 lg:sticky lg:top-0"
    >
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-sm font-medium">
          <Trans>Dry run</Trans>
        </h3>
        {types.length > 0 && (
          <Segments
            label={t`Events`}
            value={own ? 'own' : 'past'}
            onChange={(chosen) => onOwn(chosen === 'own' ? { eventType: types[0]!, text: '' } : undefined)}
            options={[
              { value: 'past', name: t`Past events` },
              { value: 'own', name: t`Own payload` },
            ]}
          />
        )}
      </div>
      {error && <Failure error={error} />}
      {own && <OwnEventFields own={own} onChange={onOwn} types={types} />}
      {answer && isOwn === (answer.samples[0]?.event === null) && (
        <div className="flex min-w-0 flex-col gap-3" aria-busy={isBehind}>
          {!isOwn && <Matched matched={answer.matched} total={answer.total} />}
          <Samples samples={answer.samples} />
        </div>
      )}
    </section>
  );
}

function Matched({ matched, total }: { matched: number; total: number }) {
  const some = count(matched);
  return (
    <p role="status" className={total === 0 ? 'text-sm text-soft' : 'font-medium'}>
      {total === 0 ? (
        <Trans>No events of the subscribed types are stored.</Trans>
      ) : (
        <Plural
          value={total}
          one={`${some} of your last # event matches.`}
          other={`${some} of your last # events match.`}
        />
      )}
    </p>
  );
}

/** One of the events, at first one that matches. */
function Samples({ samples }: { samples: readonly Sample[] }) {
  const { t } = useLingui();
  const [chosen, setChosen] = useState<string>();
  const idOf = ({ event }: Sample) => event?.id ?? '';
  const shown = samples.find((one) => idOf(one) === chosen) ?? samples.find(({ matches }) => matches) ?? samples[0];
  const nameOf = ({ event, matches }: Sample) => {
    const name = `${event?.eventType ?? ''} ${event ? shortly(event.createdAt) : ''}`;
    return matches ? name : t`${name}, not sent`;
  };
  return (
    shown && (
      <>
        {samples.length > 1 && (
          <Select
            label={t`Event`}
            value={idOf(shown)}
            onChange={setChosen}
            options={samples.map((sample) => ({ value: idOf(sample), name: nameOf(sample) }))}
          />
        )}
        <Bodies key={idOf(shown)} sample={shown} />
      </>
    )
  );
}

/** The payload, and the body and headers that are made from it. */
function Bodies({ sample: { event, matches, failedCondition, body, headers } }: { sample: Sample }) {
  const { t } = useLingui();
  return (
    <>
      {!matches && (
        <p className="text-sm text-warn">
          {failedCondition == null ? (
            <Trans>This event is not sent.</Trans>
          ) : (
            <Trans>
              This event is not sent. It fails:{' '}
              <ConditionWords condition={failedCondition} negated={failedCondition.negated} />
            </Trans>
          )}
        </p>
      )}
      {event?.body != null && (
        <Part title={<Trans>Payload</Trans>}>
          <JsonView text={event.body} name={t`the payload`} />
        </Part>
      )}
      {matches && body == null && (
        <p className="text-sm text-warn">
          <Trans>The body is larger than a payload may be. It is not sent.</Trans>
        </p>
      )}
      {body != null && (
        <Part title={<Trans>Body</Trans>}>
          <JsonView text={body} name={t`the body`} />
        </Part>
      )}
      {headers != null && <HeaderTable label={t`Headers`} headers={headers} />}
    </>
  );
}

function Part({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <h4 className="mb-1 text-xs font-medium text-soft">{title}</h4>
      {children}
    </div>
  );
}
