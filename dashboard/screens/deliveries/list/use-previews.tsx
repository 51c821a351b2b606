import { createContext, useContext, useMemo, useSyncExternalStore } from 'react';
import { useClient } from 'urql';
import { createFeedClient } from '../../../api/client';
import { useMedia } from '../../../parts/media';
import { PayloadPreview } from '../../../parts/payload-preview';
import { useAllowed } from '../../../parts/viewer';
import { Previews } from './previews';

export const PreviewsContext = createContext<{ previews: Previews; text: string } | undefined>(undefined);

/** The payloads of the list's rows; undefined where there is no room for them, or no right. @param text is marked */
export function usePreviews(text: string | undefined): { previews: Previews; text: string } | undefined {
  const client = useClient();
  const seesEvents = useAllowed('events:read');
  const hasRoom = useMedia('(width >= 64rem)');
  return useMemo(
    () =>
      seesEvents && hasRoom
        ? { previews: new Previews(createFeedClient(client), text ?? null), text: text ?? '' }
        : undefined,
    [client, text, seesEvents, hasRoom],
  );
}

/** The payload of a row's event, as soon as it has been read. */
export function RowPreview({ eventId }: { eventId: string }) {
  const context = useContext(PreviewsContext);
  return context && <Preview {...context} eventId={eventId} />;
}

function Preview({ previews, text, eventId }: { previews: Previews; text: string; eventId: string }) {
  const preview = useSyncExternalStore(previews.subscribe, () => previews.of(eventId));
  return preview !== undefined && <PayloadPreview preview={preview} text={text} />;
}
