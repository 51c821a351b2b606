import { Trans, useLingui } from '@lingui/react/macro';
import { FileUp } from 'lucide-react';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { Button } from '../../../parts/button';
import { Field, TextArea } from '../../../parts/field';
import { Untrusted } from '../../../parts/untrusted';

/** Larger files are not certificates of one endpoint. */
const FILE_BYTES_MAX = 131_072;

interface PemFieldProps {
  name: ReactNode;
  hint: ReactNode;
  placeholder: string;
  /** The fault of the text, if the browser sees one. */
  error: string | undefined;
  /** The service's message about the text that was sent last. */
  refusal: string | undefined;
  /** Whether the dialog begins with it. */
  first?: boolean;
  value: string;
  onChange: (text: string) => void;
  /** Takes the text of a file. @returns whether it is PEM */
  onFile: (text: string) => boolean;
}

/** A text in PEM: pasted, or from a file that is chosen or dropped. */
export function PemField({ name, hint, placeholder, error, refusal, first, value, onChange, onFile }: PemFieldProps) {
  const { t } = useLingui();
  const [problem, setProblem] = useState<string>();
  const read = async (file: File | undefined) => {
    if (file === undefined) {
      return;
    }
    const isTaken = file.size <= FILE_BYTES_MAX && onFile(await file.text());
    setProblem(isTaken ? undefined : t`${file.name} is not in PEM. Convert it first, for example with openssl.`);
  };
  const drop = (event: DragEvent) => {
    if (event.dataTransfer.files.length > 0) {
      event.preventDefault();
      void read(event.dataTransfer.files[0]);
    }
  };
  const wrong = problem ?? refusal ?? error;
  return (
    <div>
      <Field name={name} hint={hint} error={wrong !== undefined && <Untrusted text={wrong} />}>
        {(props) => (
          <TextArea
            {...props}
            {...(first ? { 'data-first': '' } : {})}
            rows={4}
            autoComplete="off"
            placeholder={placeholder}
            value={value}
            onChange={({ target }) => {
              setProblem(undefined);
              onChange(target.value);
            }}
            onDrop={drop}
          />
        )}
      </Field>
      <FileChoice onChosen={read} />
    </div>
  );
}

function FileChoice({ onChosen }: { onChosen: (file: File | undefined) => Promise<void> }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        accept=".pem,.crt,.cer,.cert,.key,.txt"
        onChange={({ target }) => {
          void onChosen(target.files?.[0]);
          // The same file can be chosen again after it was changed.
          target.value = '';
        }}
      />
      <div className="mt-1.5">
        <Button icon={<FileUp />} onClick={() => input.current?.click()}>
          <Trans>Choose a file</Trans>
        </Button>
      </div>
    </>
  );
}
