import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { isChat, TEXT_CHARS_MAX } from '../../../../src/domain/content/formats';
import { Field, TextArea } from '../../../parts/field';
import type { Issue } from '../../../parts/issues';
import { JsonField, parseJson } from '../../../parts/json-field';
import { Select } from '../../../parts/select';
import { Untrusted } from '../../../parts/untrusted';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import type { ContentDraft } from './content-draft';
import { FORMATS } from './words';

type Format = ContentDraft['format'];

const FORMAT_NAMES = Object.keys(FORMATS) as Format[];
/** How a text or a template names a field. */
const EXAMPLE = '{{customer.name}}';

interface FormatFieldsProps {
  value: ContentDraft;
  onChange: (value: ContentDraft) => void;
  /** The broken rules, with paths from the content on. */
  issues: readonly Issue[];
  /** Placeholders for values that no subscribed type has. */
  unknown: readonly string[];
  /** Why it is this format. */
  remark?: ReactNode;
}

/** The format of the body, with the text or the template that it needs. */
export function FormatFields(props: FormatFieldsProps) {
  const { i18n } = useLingui();
  const { value, onChange, issues, unknown, remark } = props;
  const { format } = value;
  const name = i18n._(ENDPOINT_FIELDS.format.name);
  const refusal = issues.find(({ path }) => path[0] === 'format')?.detail;
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-sm font-medium">{name}</h3>
      <Select
        label={name}
        value={format}
        options={FORMAT_NAMES.map((one) => ({ value: one, name: i18n._(FORMATS[one].name) }))}
        onChange={(chosen) => onChange({ ...value, format: chosen })}
      />
      <p className="text-xs text-soft">
        {refusal === undefined ? (
          <>
            {i18n._(FORMATS[format].hint)} {remark}
          </>
        ) : (
          <Untrusted text={refusal} />
        )}
      </p>
      {isChat(format) && <MessageText {...props} />}
      {format === 'TEMPLATE' && (
        <JsonField
          name={i18n._(ENDPOINT_FIELDS.template.name)}
          hint={
            <UnknownOr paths={unknown}>
              <Trans>{EXAMPLE} in a text becomes the value of that field.</Trans>
            </UnknownOr>
          }
          rows={12}
          parse={parseJson}
          value={value.template}
          onChange={(template) => onChange({ ...value, template })}
          issues={issuesAt(issues, 'template')}
        />
      )}
    </section>
  );
}

function MessageText({ value, onChange, issues, unknown }: FormatFieldsProps) {
  const { i18n } = useLingui();
  const [issue] = issuesAt(issues, 'text');
  return (
    <Field
      name={i18n._(ENDPOINT_FIELDS.text.name)}
      hint={
        <UnknownOr paths={unknown}>
          <Trans>{EXAMPLE} becomes the value of that field. Without a text, the type and five fields are sent.</Trans>
        </UnknownOr>
      }
      error={issue && <Untrusted text={issue.detail} />}
    >
      {(props) => (
        <TextArea
          {...props}
          rows={4}
          maxLength={TEXT_CHARS_MAX}
          value={value.text}
          onChange={({ target }) => onChange({ ...value, text: target.value })}
        />
      )}
    </Field>
  );
}

/** The placeholders that no type has a value for, or else the usual hint. */
function UnknownOr({ paths, children }: { paths: readonly string[]; children: ReactNode }) {
  return (
    <span aria-live="polite">
      {paths.length === 0
        ? children
        : paths.map((path) => (
            <span key={path} className="block text-warn">
              <Trans>
                No subscribed type has{' '}
                <code className="font-mono">
                  <Untrusted text={path} />
                </code>{' '}
                in its schema.
              </Trans>
            </span>
          ))}
    </span>
  );
}

/** The broken rules of one member, with paths from that on. */
export const issuesAt = (issues: readonly Issue[], name: string): Issue[] =>
  issues.filter(({ path }) => path[0] === name).map((issue) => ({ ...issue, path: issue.path.slice(1) }));
