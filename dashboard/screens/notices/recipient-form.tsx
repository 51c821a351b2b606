import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from 'urql';
import type { NoticeDigest, NoticeTopic, RecipientRowFragment } from '../../api/generated/graphql';
import { TextField, Ticks } from '../../parts/field';
import { type FieldProps, useForm } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import { Select } from '../../parts/select';
import { notify } from '../../parts/toast';
import { LANGUAGES, type Language, locale as ownLocale } from '../../text/language';
import { CREATE_RECIPIENT, UPDATE_RECIPIENT } from './documents';
import { ALL_TOPICS, DIGESTS, TOPICS } from './words';

const languageOf = (tag: string | null | undefined): Language => (/^de\b/i.test(tag ?? '') ? 'de' : 'en');

/** Adds a recipient, or changes one. @param recipient undefined: a new one. */
export function RecipientForm({ recipient, onClose }: { recipient?: RecipientRowFragment; onClose: () => void }) {
  const { t } = useLingui();
  const [, create] = useMutation(CREATE_RECIPIENT);
  const [, update] = useMutation(UPDATE_RECIPIENT);
  const form = useForm({
    initial: {
      address: recipient?.address ?? '',
      topics: (recipient?.topics ?? ALL_TOPICS) as readonly NoticeTopic[],
      digest: recipient?.digest ?? ('AT_ONCE' as NoticeDigest),
      locale: languageOf(recipient === undefined ? ownLocale : recipient.locale),
      timeZone: recipient?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    },
    save: ({ address, topics, locale, ...others }) => {
      // A tag such as de-AT stays, unless another language is chosen.
      const tag = recipient?.locale != null && languageOf(recipient.locale) === locale ? recipient.locale : locale;
      const input = { ...others, topics: [...topics], locale: tag };
      return recipient === undefined
        ? create({ input: { ...input, address } }).then(({ data, error }) => ({
            data: data as object | undefined,
            error,
          }))
        : update({ input: { ...input, id: recipient.id } });
    },
    saved: (_, { address }) => {
      notify(
        recipient === undefined ? t`A link for confirmation is sent to ${address}.` : t`The recipient is changed.`,
      );
      onClose();
    },
  });
  const { address, topics } = form.values;
  return (
    <FormDialog
      form={form}
      title={recipient === undefined ? <Trans>Add a recipient</Trans> : <Trans>Edit the recipient</Trans>}
      action={recipient === undefined ? <Trans>Add the recipient</Trans> : <Trans>Save</Trans>}
      refused={
        address.trim() === '' ? t`Enter an address.` : topics.length === 0 ? t`Choose at least one topic.` : undefined
      }
      onClose={onClose}
    >
      <TextField
        {...form.field('address')}
        name={<Trans>E-mail address</Trans>}
        hint={
          recipient === undefined ? (
            <Trans>It first gets a link to confirm the address.</Trans>
          ) : (
            <Trans>For another address, add another recipient.</Trans>
          )
        }
        type="email"
        required
        disabled={recipient !== undefined}
        autoFocus={recipient === undefined}
        maxLength={254}
      />
      <TopicTicks {...form.field('topics')} />
      <WhenAndHow digest={form.field('digest')} language={form.field('locale')} timeZone={form.field('timeZone')} />
    </FormDialog>
  );
}

interface Times {
  digest: FieldProps<NoticeDigest>;
  language: FieldProps<Language>;
  timeZone: FieldProps<string>;
}

function WhenAndHow({ digest, language, timeZone }: Times) {
  const { t, i18n } = useLingui();
  const digests = Object.entries(DIGESTS).map(([value, name]) => ({
    value: value as NoticeDigest,
    name: i18n._(name),
  }));
  const languages = Object.entries(LANGUAGES).map(([value, name]) => ({ value: value as Language, name }));
  return (
    <>
      <div className="flex flex-wrap gap-x-6 gap-y-3">
        <div>
          <p className="mb-1 text-sm font-medium">
            <Trans>Sent</Trans>
          </p>
          <Select label={t`Sent`} {...digest} options={digests} />
        </div>
        <div>
          <p className="mb-1 text-sm font-medium">
            <Trans>Language</Trans>
          </p>
          <Select label={t`Language`} {...language} options={languages} />
        </div>
      </div>
      <TextField
        {...timeZone}
        name={<Trans>Time zone</Trans>}
        hint={<Trans>For times in the e-mails, such as Europe/Berlin.</Trans>}
      />
    </>
  );
}

function TopicTicks(field: FieldProps<readonly NoticeTopic[]>) {
  const { i18n } = useLingui();
  const options = ALL_TOPICS.map((value) => ({
    value,
    words: (
      <>
        {i18n._(TOPICS[value].name)} <span className="text-xs text-soft">{i18n._(TOPICS[value].hint)}</span>
      </>
    ),
  }));
  return <Ticks {...field} name={<Trans>Topics</Trans>} options={options} />;
}
