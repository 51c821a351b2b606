import { Trans, useLingui } from '@lingui/react/macro';
import { CopyButton } from '../../parts/button';
import { Dialog } from '../../parts/dialog';
import { Fact, Facts } from '../../parts/page';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { Actor } from './actor';
import { changes } from './changes';
import type { AuditRow } from './documents';
import { fieldName } from './field-names';
import { valueWords } from './field-values';
import { Target } from './target';
import { ACTION_WORDS } from './words';

/** One change: who, what, when, by which request, and each field as it was and as it is. */
export function EntryDialog({
  entry,
  names,
  onClose,
}: {
  entry: AuditRow | undefined;
  names: ReadonlyMap<string, string>;
  onClose: () => void;
}) {
  const { t, i18n } = useLingui();
  return (
    <Dialog
      open={entry !== undefined}
      onClose={onClose}
      width="wide"
      title={entry && i18n._(ACTION_WORDS[entry.action] ?? entry.action)}
    >
      {entry && (
        <div className="flex flex-col gap-4">
          <Facts>
            <Fact name={<Trans>To</Trans>}>
              <Target {...entry} names={names} />
            </Fact>
            <Fact name={<Trans>By</Trans>}>
              <Actor {...entry} names={names} />
            </Fact>
            <Fact name={<Trans>When</Trans>}>
              <Time value={entry.createdAt} absolute />
            </Fact>
            {entry.requestId && (
              <Fact name={<Trans>Request</Trans>}>
                <span className="inline-flex items-center gap-1">
                  <code className="font-mono text-xs">
                    <Untrusted text={entry.requestId} />
                  </code>
                  <CopyButton text={entry.requestId} name={t`request id`} />
                </span>
              </Fact>
            )}
          </Facts>
          <Differences entry={entry} />
        </div>
      )}
    </Dialog>
  );
}

function Differences({ entry: { before, after } }: { entry: AuditRow }) {
  const { t, i18n } = useLingui();
  const fields = changes(before, after);
  const words = (field: string, value: unknown) => (value === undefined ? undefined : valueWords(field, value, i18n));
  if (fields.length === 0) {
    return (
      <p className="text-sm text-soft">
        <Trans>The log lists no fields for this change.</Trans>
      </p>
    );
  }
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <table className="w-full border-collapse text-sm">
        <caption className="sr-only">{t`What changed`}</caption>
        <thead>
          <tr className="border-b border-line text-start text-xs text-soft">
            <th scope="col" className="h-8 px-3 text-start font-medium">{t`Field`}</th>
            <th scope="col" className="px-3 text-start font-medium">{t`Before`}</th>
            <th scope="col" className="px-3 text-start font-medium">{t`After`}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map(({ field, before, after, isSecret }) => (
            <tr key={field} className="border-b border-line align-top last:border-b-0">
              <th scope="row" className="px-3 py-1.5 text-start text-xs font-medium">
                <FieldName field={field} />
              </th>
              <Side text={words(field, before)} look="bg-bad-soft text-bad" />
              <Side text={isSecret ? t`changed` : words(field, after)} look="bg-good-soft text-good" />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The name of a changed field, in the words of the forms. */
export function FieldName({ field }: { field: string }) {
  const { i18n } = useLingui();
  const name = fieldName(field);
  return typeof name === 'string' ? <Untrusted text={name} /> : i18n._(name);
}

function Side({ text, look }: { text: string | undefined; look: string }) {
  return (
    <td className="w-2/5 px-3 py-1.5 text-xs [overflow-wrap:anywhere]">
      {text === undefined ? (
        <span className="text-faint">–</span>
      ) : (
        <span className={`rounded-xs px-1 py-px ${look}`}>
          <Untrusted text={text} />
        </span>
      )}
    </td>
  );
}
