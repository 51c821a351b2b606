import { Trans, useLingui } from '@lingui/react/macro';
import { Button, CopyButton } from '../../../parts/button';
import { Time, useClock } from '../../../parts/time';
import { Untrusted } from '../../../parts/untrusted';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { count } from '../../../text/numbers';
import { useAction, useOffered } from '../actions';
import { textsOf } from '../form/endpoint-values';
import type { ShownEndpoint } from '../use-endpoint';
import { Folded, Group, Remark, Value, Values } from './group';

interface SetupProps {
  endpoint: ShownEndpoint;
}

/** Where an endpoint is, which events it gets, its names, and its signing secret. */
export function SetupGroup({ endpoint }: SetupProps) {
  const { t, i18n } = useLingui();
  const { url, eventTypes, databaseId, createdAt } = endpoint;
  return (
    <Group title={<Trans>Setup</Trans>} change={useOffered(endpoint)('edit') && 'edit'}>
      <Values>
        <Value wide name={i18n._(ENDPOINT_FIELDS.url.name)}>
          <span className="flex items-start gap-1">
            <span className="min-w-0">
              <Untrusted text={url} />
            </span>
            <span className="-my-1.5">
              <CopyButton text={url} name={t`the URL`} />
            </span>
          </span>
        </Value>
        <Value wide name={<Trans>Event types</Trans>}>
          {eventTypes.includes('*') ? (
            <Trans>All events, including types added later</Trans>
          ) : (
            <EventTypes names={eventTypes} />
          )}
        </Value>
        {textsOf(endpoint).map(
          ([name, text]) =>
            !['url', 'eventTypes'].includes(name) &&
            text !== '' && (
              <Value key={name} wide={text.length > WIDE_FROM} name={i18n._(ENDPOINT_FIELDS[name].name)}>
                <Untrusted text={text} />
              </Value>
            ),
        )}
        <Value wide name={<Trans>Signing secret</Trans>}>
          <Secret endpoint={endpoint} />
        </Value>
        <Value name={<Trans>Number</Trans>}>
          <span className="figures">{databaseId}</span>{' '}
          <Remark>
            <Trans>
              created <Time value={createdAt} />
            </Trans>
          </Remark>
        </Value>
      </Values>
    </Group>
  );
}

/** A text of more characters has two columns. */
const WIDE_FROM = 36;
/** This many event types are read at a glance. */
const TYPES_SHOWN = 4;

function EventTypes({ names }: { names: readonly string[] }) {
  const others = names.slice(TYPES_SHOWN);
  return (
    <>
      <TypeNames names={names.slice(0, TYPES_SHOWN)} />
      {others.length > 0 && (
        <Folded summary={<Trans>{count(others.length)} more</Trans>}>
          <TypeNames names={others} />
        </Folded>
      )}
    </>
  );
}

const TypeNames = ({ names }: { names: readonly string[] }) => (
  <ul className="flex flex-wrap gap-x-3">
    {names.map((name) => (
      <li key={name}>
        <code className="font-mono text-xs">
          <Untrusted text={name} />
        </code>
      </li>
    ))}
  </ul>
);

/** The signing secret is never shown. */
function Secret({ endpoint }: SetupProps) {
  const [, start] = useAction();
  const mayRotate = useOffered(endpoint)('rotate');
  const { previousSecretExpiresAt: endsAt } = endpoint;
  const isRotating = useClock((now) => endsAt != null && Date.parse(endsAt) > now);
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>
        {isRotating && endsAt != null ? (
          <Trans>
            The previous one is valid too, and ends <Time value={endsAt} />.
          </Trans>
        ) : mayRotate ? (
          <Trans>Hidden. Rotate to get a new one.</Trans>
        ) : (
          <Trans>Hidden.</Trans>
        )}
      </span>
      {mayRotate && (
        <Button onClick={() => start('rotate')}>
          <Trans>Rotate</Trans>
        </Button>
      )}
    </span>
  );
}
