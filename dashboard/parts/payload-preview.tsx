import { Fragment } from 'react';
import { NoValue } from './list';
import { Untrusted } from './untrusted';

interface Preview {
  values: readonly { path: string; value: string }[];
  excerpt?: string | null;
}

/** The first values of a payload in a line, and where a searched text is. @param text is marked */
export function PayloadPreview({ preview, text = '' }: { preview: Preview | null | undefined; text?: string }) {
  if (preview == null || (preview.values.length === 0 && preview.excerpt == null)) {
    return <NoValue />;
  }
  return (
    <span className="text-xs text-soft">
      {preview.excerpt != null && (
        <span className="me-3 font-mono">
          …<Marked value={preview.excerpt} text={text} />…{' '}
        </span>
      )}
      {preview.values.map(({ path, value }) => (
        <Fragment key={path}>
          <span className="text-faint">
            <Untrusted text={path} />
          </span>{' '}
          <span className="me-1.5 font-mono text-ink">
            <Marked value={value} text={text} />
          </span>{' '}
        </Fragment>
      ))}
    </span>
  );
}

function Marked({ value, text }: { value: string; text: string }) {
  const at = text === '' ? -1 : value.indexOf(text);
  if (at === -1) {
    return <Untrusted text={value} />;
  }
  return (
    <>
      <Untrusted text={value.slice(0, at)} />
      <mark className="rounded-xs bg-warn-soft text-ink">
        <Untrusted text={text} />
      </mark>
      <Untrusted text={value.slice(at + text.length)} />
    </>
  );
}
