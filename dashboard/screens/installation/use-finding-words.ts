import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { useEffect, useState } from 'react';
import { laterScript } from '../../api/scripts';

/** A check of the installation, as a daemon reports it. */
interface Finding {
  name: string;
  level: 'OK' | 'WARN' | 'FAIL';
  /** In English, with figures and commands. */
  text: string;
}

const loadWords = laterScript(() => import('../../text/findings'));

/**
 * Findings in the reader's language. One of a later version, and each in English, is as the service has it: so the words
 * are loaded for other languages alone.
 */
export function useFindingWords(): (finding: Finding) => { name: string; text: string } {
  const { i18n } = useLingui();
  const [known, setKnown] = useState<Awaited<ReturnType<typeof loadWords>>>();
  const isEnglish = i18n.locale === 'en';
  useEffect(() => {
    if (!isEnglish) {
      loadWords().then(setKnown, () => {}); // English is better than nothing
    }
  }, [isEnglish]);
  return ({ name, level, text }) => {
    const words = isEnglish ? undefined : known?.FINDINGS[name];
    return words === undefined
      ? { name, text }
      : { name: i18n._(words.name), text: i18n._(level === 'OK' ? msg`In order.` : words.trouble) };
  };
}
