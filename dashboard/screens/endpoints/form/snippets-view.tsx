import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { Code } from '../../../parts/code';
import { Segments } from '../../../parts/segments';
import { Select } from '../../../parts/select';
import { FRAMEWORK_SNIPPETS } from './framework-snippets';
import { SNIPPETS } from './snippets';

const ALL = [...SNIPPETS, ...FRAMEWORK_SNIPPETS];

/** Code for the receiver, in the language of choice, with a library or without. */
export function Snippets() {
  const { t } = useLingui();
  const [language, setLanguage] = useState('TypeScript');
  const [way, setWay] = useState<'library' | 'plain'>('library');
  const snippet = ALL.find((one) => one.language === language);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap justify-between gap-2">
        <Select
          label={t`Language`}
          value={language}
          onChange={setLanguage}
          options={ALL.map((one) => ({ value: one.language, name: one.language }))}
        />
        <Segments
          label={t`Method`}
          value={way}
          onChange={setWay}
          options={[
            { value: 'library', name: t`Standard Webhooks` },
            { value: 'plain', name: t`Without a library` },
          ]}
        />
      </div>
      {snippet && <Code text={snippet[way]} name={t`the code`} />}
      <p className="text-xs text-soft">
        {way === 'library' ? (
          <Trans>
            It checks webhook-signature, which covers the delivery's id, its time and the exact bytes of the body.
          </Trans>
        ) : snippet?.both ? (
          <Trans>
            Its first function checks webhook-signature, which covers the delivery's id, its time and the exact bytes of
            the body. The second one checks X-Service-Signature, which covers the body alone.
          </Trans>
        ) : (
          <Trans>
            It checks X-Service-Signature, which covers the exact bytes of the body. If a replay within five minutes
            would do harm, remember the ids in X-Service-Delivery.
          </Trans>
        )}
      </p>
    </div>
  );
}
