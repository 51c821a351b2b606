import { i18n } from '@lingui/core';
import { laterScript } from '../api/scripts';
import { tabStorage } from '../api/tab-storage';

/** The languages of the dashboard, each named in itself. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof LANGUAGES;

// English is in the code, compiled (build/compiled-texts.ts): a text without values is one part.
i18n.setMessagesCompiler((text) => [text]);

const RIGHT_TO_LEFT = /^(ar|fa|he|ur)\b/;

/** The locale of the person, for dates and numbers: it may be one whose texts are not translated (`fr-CA`). */
export let locale = 'en';

/** The language that a person chooses for this tab: it wins over the operator's choice. */
export async function chooseLanguage(language: Language): Promise<void> {
  tabStorage.write('language', language);
  chosen = language;
  await setLocales([]);
}

const loadGerman = laterScript(() => import('./catalogues/de.po'));

let chosen = tabStorage.read('language');
let asked = 0;

/**
 * Sets the texts to the first wanted language that there is (else English), dates and numbers to the first wanted
 * locale of that language, and the direction of the page to that of its texts.
 *
 * @param wanted BCP 47 tags, the most wanted one first: of the session, or of the browser. What is none is passed over.
 */
export async function setLocales(wanted: readonly string[]): Promise<void> {
  asked += 1;
  const mine = asked;
  const tags = [...(chosen === null ? [] : [chosen]), ...wanted, ...navigator.languages].filter(isLanguageTag);
  const language = tags.map(languageOf).find((one) => Object.hasOwn(LANGUAGES, one)) ?? 'en';
  // Without its texts the page is shown in English.
  const messages =
    language === 'de'
      ? await loadGerman().then(
          ({ messages }) => messages,
          () => ({}),
        )
      : {};
  if (mine !== asked) {
    return; // another language was wanted while this one was loaded
  }
  locale = [...wanted.filter(isLanguageTag), ...tags].find((tag) => languageOf(tag) === language) ?? language;
  i18n.loadAndActivate({ locale: language, messages });
  document.documentElement.lang = language;
  document.documentElement.dir = RIGHT_TO_LEFT.test(language) ? 'rtl' : 'ltr';
}

const languageOf = (tag: string): string => tag.split('-', 1)[0] ?? '';

/** Intl throws at others, and browsers have them: that of Chromium is `en-US@posix` where LANG is C. */
export function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
