import { useMemo } from 'react';
import { useMutation } from 'urql';
import { isChat } from '../../../../src/domain/content/formats';
import { DEFAULT_METHOD } from '../../../../src/domain/deliveries/delivery-method';
import { useForm } from '../../../parts/form';
import { ALL_INHERITED, type PaceTexts, changeOf as paceChange } from '../../../parts/pace';
import { useAddress } from '../../../parts/place';
import { useAllowed, useWritable } from '../../../parts/viewer';
import { type ContentDraft, contentChange, isPlain, NEW_CONTENT } from '../content/content-draft';
import { formatOfUrl } from '../content/format-of-url';
import { useDryRun } from '../content/use-dry-run';
import { usePaths } from '../content/use-paths';
import { CREATE_ENDPOINT } from '../later-documents';
import { orderingInput } from '../ordering/order-fields';
import { NO_ORDER, type Ordering } from '../ordering/words';
import { type Draft, draftOf, changeOf as requestChange } from '../settings/draft';
import { type EndpointValues, type FieldName, NO_VALUES } from './endpoint-values';
import { useWrittenFields, writtenValues } from './use-written-fields';

interface NewValues extends EndpointValues {
  /** What somebody has written. The format is the one that the URL asks for, until somebody chooses one. */
  content: Partial<ContentDraft>;
  ordering: Ordering;
  delivery: { pace: PaceTexts; request: Draft };
  active: boolean;
}

const DELIVERY: NewValues['delivery'] = {
  pace: ALL_INHERITED,
  request: draftOf({ method: DEFAULT_METHOD, callback: false, headers: [], auth: null }),
};

/** Whether everybody sets a field of a new endpoint. */
export const isFirst = (name: FieldName): boolean => name === 'url' || name === 'eventTypes';

export type NewEndpointState = ReturnType<typeof useNewEndpoint>;

/** The form of a new endpoint, with the groups that the caller may write. */
export function useNewEndpoint() {
  const maySeeSecret = useAllowed('webhooks:secrets');
  const mayChoose = useAllowed('webhooks:options');
  const isWritable = useWritable();
  const isWritten = useWrittenFields();
  const has = (...parts: string[]) => mayChoose && parts.some(isWritable);
  const groups = { order: has('ordering'), pace: has('pace', 'retry'), request: has('headers', 'auth') };
  const hasContent = has('content');
  // An event type's page leads here with its name.
  const [{ type }] = useAddress();
  const [, create] = useMutation(CREATE_ENDPOINT);
  const form = useForm({
    initial: {
      ...{ ...NO_VALUES, eventTypes: type ? [type] : [] },
      ...{ content: {}, ordering: NO_ORDER, delivery: DELIVERY, active: true },
    } as NewValues,
    save: ({ content: _, ordering, delivery, active, ...fields }, { idempotencyKey }) => {
      const { draft, paths } = content;
      const called = { ...paceChange(delivery.pace, []), ...requestChange(delivery.request) };
      const input = {
        ...writtenValues(fields, isWritten),
        ...(hasContent && !isPlain(draft) ? { content: contentChange(draft, paths.kindsAt) } : {}),
        ...(groups.order && ordering.by !== 'NONE' ? { ordering: orderingInput(ordering) } : {}),
        ...(Object.keys(called).length > 0 ? { delivery: called } : {}),
        ...(active ? {} : { active }),
        idempotencyKey,
      };
      // A chat checks no signature.
      return create({ input, withSecret: maySeeSecret && !(hasContent && isChat(draft.format)) });
    },
  });
  const content = useNewContent(form);
  return { form, isWritten, content: hasContent ? content : undefined, groups };
}

interface ContentForm {
  values: NewValues;
  field: (name: 'content') => { onChange: (content: Partial<ContentDraft>) => void };
  issues: (name: 'content') => Parameters<typeof useDryRun>[3];
}

/** What is sent to the new endpoint, and its dry run once it is more than the plain payload. */
function useNewContent(form: ContentForm) {
  const { url, eventTypes, content: written } = form.values;
  const draft = useMemo(() => ({ ...NEW_CONTENT, format: formatOfUrl(url), ...written }), [url, written]);
  const isBegun = !isPlain(draft);
  const paths = usePaths(eventTypes, isBegun);
  const target = useMemo(() => ({ eventTypes }), [eventTypes]);
  const { dryRun, ...judged } = useDryRun(draft, paths, target, form.issues('content'));
  return {
    ...judged,
    draft,
    paths,
    dryRun: isBegun ? dryRun : undefined,
    isFormatByUrl: written.format === undefined,
    onChange: ({ format, ...rest }: ContentDraft) =>
      form.field('content').onChange({ ...written, ...rest, ...(format === draft.format ? {} : { format }) }),
  };
}
