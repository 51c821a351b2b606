import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { type ReactNode, useState } from 'react';
import { HeaderTable } from '../../../parts/header-table';
import { parseObject } from '../../../parts/json-field';
import { JsonView } from '../../../parts/json-view';
import { Answer, Failure } from '../../../parts/page';
import { Segments } from '../../../parts/segments';
import { Select } from '../../../parts/select';
import { shortly } from '../../../parts/time';
import { Untrusted } from '../../../parts/untrusted';
import { useSettled } from '../../../parts/use-settled';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { count, endOf } from '../../../text/numbers';
import { ConditionWords } from './condition-words';
import { OwnEventFields } from './own-event';
import type { DryRun } from './use-dry-run';
import { PAUSE_MS, previousIn, type Sample } from './use-preview';
import { UNFINISHED } from './words';

/** The effect of a content: how many of the past events match, and the body of one of them before and after. */
export function DryRunCard({ preview, unfinished, own, onOwn, types }: DryRun) {
  const { t } = useLingui();
  const { answer, isBehind } = preview;
  const isOwn = own !== undefined;
  const shown = answer && isOwn === (answer.samples[0]?.event === null) ? answer : undefined;
  return (
    <section
      aria-label={t`Dry run`}
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-3.5"
    >
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-sm font-medium">
          <Trans>Dry run</Trans>
        </h3>
        {types.length > 0 && (
          <Segments
            label={t`Events`}
            value={own ? 'own' : 'past'}
            onChange={(chosen) =>
              onOwn(chosen === 'own' ? { eventType: types[0]!, text: '', previous: '' } : undefined)
            }
            options={[
              { value: 'past', name: t`Past events` },
              { value: 'own', name: t`Own payload` },
            ]}
          />
        )}
      </div>
      <Blocker preview={preview} unfinished={unfinished} own={own} hasResult={shown !== undefined} />
      {own && <OwnEventFields own={own} onChange={onOwn} types={types} />}
      {shown && (
        <div className="flex min-w-0 flex-col gap-3" aria-busy={isBehind}>
          {!isOwn && <Matched matched={shown.matched} total={shown.total} />}
          <Samples samples={shown.samples} />
        </div>
      )}
    </section>
  );
}

/** Why the present content cannot be tried, once somebody has stopped typing; the result is an old one then. */
function Blocker({
  preview: { issues, error },
  unfinished,
  own,
  hasResult,
}: Pick<DryRun, 'preview' | 'unfinished' | 'own'> & { hasResult: boolean }) {
  const { t, i18n } = useLingui();
  const lacks = useSettled(unfinished, PAUSE_MS);
  const isNoPayload = own !== undefined && own.text !== '' && 'wrong' in parseObject(own.text);
  const isNoState = own !== undefined && 'wrong' in previousIn(own.previous);
  const [issue] = issues;
  const field = String(issue?.path[0]);
  const refusal = issue && (isName(field) ? `${i18n._(ENDPOINT_FIELDS[field].name)}: ${issue.detail}` : issue.detail);
  const wrong = isNoPayload
    ? t`The payload is not valid JSON.`
    : isNoState && t`The state before the change is not a JSON object.`;
  const why = lacks ? i18n._(UNFINISHED[lacks]) : wrong || refusal;
  return (
    <>
      {error && <Failure error={error} />}
      {(why !== undefined || (error && hasResult)) && (
        <Answer tone="warn">
          {why !== undefined && (
            <p className="text-sm font-medium">
              <Untrusted text={why} />
            </p>
          )}
          {hasResult && (
            <p className="text-sm text-soft">
              <Trans>This result is old. It lacks your last change.</Trans>
            </p>
          )}
        </Answer>
      )}
    </>
  );
}

const isName = (text: string): text is keyof typeof ENDPOINT_FIELDS => Object.hasOwn(ENDPOINT_FIELDS, text);

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
    const name = event ? `${shortly(event.createdAt)} · ${endOf(event.databaseId)} · ${event.eventType}` : '';
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
              This event is not sent. It fails: <ConditionWords condition={failedCondition} {...failedCondition} />
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
