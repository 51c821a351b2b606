import { i18n } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';

/** The languages of the dashboard, each named in itself. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof LANGUAGES;

// English stands in the code, with each screen its own: it is compiled where it is shown.
i18n.setMessagesCompiler(compileMessage);

const RIGHT_TO_LEFT = /^(ar|fa|he|ur)\b/;

/** The locale of the person, for dates and numbers: it may be one whose texts are not translated (`fr-CA`). */
export let locale = 'en';

/**
 * Sets the texts to the first wanted language that there is (else English), dates and numbers to the first wanted
 * locale, and the direction of the page to that of its texts.
 *
 * @param wanted BCP 47 tags, the most wanted one first.
 */
export async function useLocales(wanted: readonly string[]): Promise<void> {
  const language =
    wanted.map((tag) => tag.split('-')[0]).find((one) => one !== undefined && one in LANGUAGES) ?? 'en';
  const messages = language === 'de' ? (await import('./de.po')).messages : {};
  locale = wanted.find((tag) => tag.startsWith(language)) ?? language;
  i18n.loadAndActivate({ locale: language, messages });
  document.documentElement.lang = language;
  document.documentElement.dir = RIGHT_TO_LEFT.test(language) ? 'rtl' : 'ltr';
}
