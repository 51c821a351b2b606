import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from 'urql';
import { PageHead } from '../../parts/page';
import { Link, useGo } from '../../parts/place';
import { notify } from '../../parts/toast';
import { REGISTER_EVENT_TYPE } from './documents';
import { EventTypeForm, type Written } from './event-type-form';

const USUAL: Written = {
  name: '',
  description: '',
  schema: {
    type: 'object',
    properties: { id: { type: 'string', examples: ['42'] } },
    required: ['id'],
  },
};

/** Registers an event type, for all tenants. */
export default function NewEventType() {
  const { t } = useLingui();
  const go = useGo();
  const [, register] = useMutation(REGISTER_EVENT_TYPE);
  return (
    <>
      <PageHead
        title={t`Register an event type`}
        back={
          <Link to="/event-types">
            <Trans>Event types</Trans>
          </Link>
        }
      />
      <EventTypeForm
        usual={USUAL}
        action={t`Register the type`}
        leave="/event-types"
        save={register}
        saved={({ registerEventType: { eventType } }) => {
          notify(t`The event type is registered.`, t`Endpoints that subscribe to all events receive it from now on.`);
          go(`/event-types/${eventType.name}`);
        }}
      />
    </>
  );
}
