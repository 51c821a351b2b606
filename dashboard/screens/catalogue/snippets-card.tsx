import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { BASE } from '../../api/base';
import type { EventTypeRowFragment } from '../../api/generated/graphql';
import { Code } from '../../parts/code';
import { Card } from '../../parts/page';
import { Segments } from '../../parts/segments';
import { useAllowed } from '../../parts/viewer';
import { emitSnippets, receivedRequest } from './snippets';

/** An example request to an endpoint, and the code that emits such an event for those who may. */
export function SnippetsCard({ type, sample }: { type: EventTypeRowFragment; sample: string }) {
  const { t } = useLingui();
  const mayEmit = useAllowed('events:emit') && !type.reserved && type.deprecatedAt == null;
  const received = { name: t`What you get`, text: receivedRequest(type.name, sample) };
  const snippets = [received, ...(mayEmit ? emitSnippets(location.origin + BASE, type.name, sample) : [])];
  const [chosen, setChosen] = useState(received.name);
  const shown = snippets.find(({ name }) => name === chosen) ?? received;
  return (
    <Card
      title={<Trans>In code</Trans>}
      actions={
        snippets.length > 1 && (
          <Segments
            label={t`Snippet`}
            value={shown.name}
            onChange={setChosen}
            options={snippets.map(({ name }) => ({
              value: name,
              name: name === received.name ? name : t`Emit with ${name}`,
            }))}
          />
        )
      }
    >
      <Code text={shown.text} name={shown.name} wrap={shown === received} />
      {shown === received && (
        <p className="mt-2 text-xs text-soft">
          <Trans>
            Header names may differ in this installation. Check the signature over the exact bytes of the body, and
            answer with 2xx.
          </Trans>
        </p>
      )}
    </Card>
  );
}
