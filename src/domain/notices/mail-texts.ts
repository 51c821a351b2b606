/** The payload of an operational event (docs/interface.md, "Events"). */
export type Facts = Readonly<Record<string, string>>;

/** Writes a time of a payload for the recipient. */
type Time = (fact: string | undefined) => string;

/** The subject and the sentences of a notice. @param endpoint the webhook's name, or its origin */
type NoticeText = (endpoint: string, facts: Facts, time: Time) => { subject: string; text: string };

interface MailTexts {
  /** By topic. */
  notices: Readonly<Record<string, NoticeText>>;
  reminder: NoticeText;
  /** The subject of several notices. */
  several(count: number): string;
  which(number: string, origin: string): string;
  /** @param host of the service */
  footer(host: string): string;
  unsubscribe: string;
  confirm(host: string): { subject: string; text: string; link: string; ignore: string };
}

const gone = ({ reason }: Facts) => reason === 'GONE';
const ofClient = ({ certificate }: Facts) => certificate === 'CLIENT';

const english: MailTexts = {
  notices: {
    FAILING: (endpoint, facts, time) => ({
      subject: `${endpoint} fails`,
      text: `${facts['consecutive_failures']} requests in a row have failed since ${time(facts['failing_since'])}, the last one with ${facts['last_error']}. After 10 failures in a row the endpoint is disabled.`,
    }),
    DISABLED: (endpoint, facts, time) => ({
      subject: `${endpoint} was disabled`,
      text: `The endpoint was disabled on ${time(facts['disabled_at'])}, because ${gone(facts) ? 'it answered 410 Gone' : `${facts['consecutive_failures']} requests in a row have failed`}. Its deliveries are held until ${time(facts['held_until'])}. Enable it once it works again, and they are sent.`,
    }),
    RECOVERED: (endpoint, facts, time) => ({
      subject: `${endpoint} works again`,
      text: `The endpoint has worked since ${time(facts['recovered_at'])}. It was disabled on ${time(facts['disabled_at'])}.`,
    }),
    HELD_EXPIRING: (endpoint, facts, time) => ({
      subject: `Held deliveries for ${endpoint} expire`,
      text: `Held deliveries: ${facts['held_count']}. They are canceled on ${time(facts['expires_at'])}. Enable the endpoint before then, and they are sent.`,
    }),
    EXHAUSTED: (endpoint, facts) => ({
      subject: `Deliveries to ${endpoint} have failed`,
      text: `Deliveries that have failed for good: ${facts['count']}. The last one was of type ${facts['event_type']}, and failed at attempt ${facts['attempts']} with ${facts['last_error']}.`,
    }),
    KEY_BLOCKED: (endpoint, facts, time) => ({
      subject: `${endpoint} has a blocked key`,
      text: `Ordering keys that were blocked: ${facts['count']}. The last one has been blocked since ${time(facts['blocked_at'])}, because delivery ${facts['delivery_id']} of type ${facts['event_type']} has failed for good with ${facts['last_error']}. Deliveries that wait behind it: ${facts['waiting']}. Unblock the key, and they are sent.`,
    }),
    CERTIFICATE: (endpoint, facts, time) => ({
      subject: `A certificate of ${endpoint} ends soon`,
      text: ofClient(facts)
        ? `The client certificate that requests show to the receiver ends on ${time(facts['ends_at'])}. Replace it before then: afterwards the receiver may refuse them.`
        : `The certificates of the authorities that the receiver is verified by end on ${time(facts['ends_at'])}. Replace them before then: afterwards requests fail.`,
    }),
    TEST: () => ({
      subject: 'Test: notices arrive here',
      text: 'Somebody has sent this test. Notices about your endpoints come to this address.',
    }),
  },
  reminder: (endpoint, facts, time) => ({
    subject: `${endpoint} is still disabled`,
    text: `The endpoint has been disabled since ${time(facts['disabled_at'])}. Its deliveries are held until ${time(facts['held_until'])}, and canceled then. Enable it, and they are sent.`,
  }),
  several: (count) => `${count} notices about your endpoints`,
  which: (number, origin) => `Endpoint ${number}, ${origin}`,
  footer: (host) => `You get this mail because this address receives notices of ${host}.`,
  unsubscribe: 'Unsubscribe',
  confirm: (host) => ({
    subject: `Confirm notices of ${host}`,
    text: `Somebody wants notices about endpoints at ${host} to be sent to this address. Do you want them?`,
    link: 'Get the notices',
    ignore:
      'The link works for 24 hours. If you do not know what this is about, ignore this mail: nothing more is sent.',
  }),
};

const german: MailTexts = {
  notices: {
    FAILING: (endpoint, facts, time) => ({
      subject: `${endpoint} schlägt fehl`,
      text: `${facts['consecutive_failures']} Anfragen in Folge sind seit ${time(facts['failing_since'])} fehlgeschlagen, die letzte mit ${facts['last_error']}. Nach 10 Fehlschlägen in Folge wird der Endpunkt deaktiviert.`,
    }),
    DISABLED: (endpoint, facts, time) => ({
      subject: `${endpoint} wurde deaktiviert`,
      text: `Der Endpunkt wurde am ${time(facts['disabled_at'])} deaktiviert, weil ${gone(facts) ? 'er mit 410 Gone geantwortet hat' : `${facts['consecutive_failures']} Anfragen in Folge fehlgeschlagen sind`}. Seine Zustellungen werden bis ${time(facts['held_until'])} zurückgehalten. Aktivieren Sie ihn, sobald er wieder funktioniert, dann werden sie gesendet.`,
    }),
    RECOVERED: (endpoint, facts, time) => ({
      subject: `${endpoint} funktioniert wieder`,
      text: `Der Endpunkt funktioniert seit ${time(facts['recovered_at'])} wieder. Er war seit ${time(facts['disabled_at'])} deaktiviert.`,
    }),
    HELD_EXPIRING: (endpoint, facts, time) => ({
      subject: `Zurückgehaltene Zustellungen für ${endpoint} verfallen`,
      text: `Zurückgehaltene Zustellungen: ${facts['held_count']}. Sie werden am ${time(facts['expires_at'])} abgebrochen. Aktivieren Sie den Endpunkt vorher, dann werden sie gesendet.`,
    }),
    EXHAUSTED: (endpoint, facts) => ({
      subject: `Zustellungen an ${endpoint} sind fehlgeschlagen`,
      text: `Endgültig fehlgeschlagene Zustellungen: ${facts['count']}. Die letzte hatte den Typ ${facts['event_type']} und scheiterte beim Versuch ${facts['attempts']} mit ${facts['last_error']}.`,
    }),
    KEY_BLOCKED: (endpoint, facts, time) => ({
      subject: `${endpoint} hat einen blockierten Schlüssel`,
      text: `Blockierte Schlüssel: ${facts['count']}. Der letzte ist seit ${time(facts['blocked_at'])} blockiert, weil Zustellung ${facts['delivery_id']} vom Typ ${facts['event_type']} mit ${facts['last_error']} endgültig fehlgeschlagen ist. Zustellungen, die dahinter warten: ${facts['waiting']}. Geben Sie den Schlüssel frei, dann werden sie gesendet.`,
    }),
    CERTIFICATE: (endpoint, facts, time) => ({
      subject: `Ein Zertifikat von ${endpoint} läuft bald ab`,
      text: ofClient(facts)
        ? `Das Client-Zertifikat, das die Anfragen dem Empfänger zeigen, läuft am ${time(facts['ends_at'])} ab. Ersetzen Sie es vorher: Danach kann der Empfänger sie ablehnen.`
        : `Die Zertifikate der Zertifizierungsstellen, mit denen der Empfänger geprüft wird, laufen am ${time(facts['ends_at'])} ab. Ersetzen Sie sie vorher: Danach schlagen Anfragen fehl.`,
    }),
    TEST: () => ({
      subject: 'Test: Benachrichtigungen kommen hier an',
      text: 'Jemand hat diesen Test gesendet. Benachrichtigungen über Ihre Endpunkte kommen an diese Adresse.',
    }),
  },
  reminder: (endpoint, facts, time) => ({
    subject: `${endpoint} ist noch deaktiviert`,
    text: `Der Endpunkt ist seit ${time(facts['disabled_at'])} deaktiviert. Seine Zustellungen werden bis ${time(facts['held_until'])} zurückgehalten und dann abgebrochen. Aktivieren Sie ihn, dann werden sie gesendet.`,
  }),
  several: (count) => `${count} Benachrichtigungen über Ihre Endpunkte`,
  which: (number, origin) => `Endpunkt ${number}, ${origin}`,
  footer: (host) => `Sie erhalten diese Mail, weil diese Adresse Benachrichtigungen von ${host} bekommt.`,
  unsubscribe: 'Abbestellen',
  confirm: (host) => ({
    subject: `Benachrichtigungen von ${host} bestätigen`,
    text: `Jemand möchte, dass Benachrichtigungen über Endpunkte bei ${host} an diese Adresse gehen. Möchten Sie sie bekommen?`,
    link: 'Benachrichtigungen bekommen',
    ignore:
      'Der Link gilt 24 Stunden. Wenn Sie nicht wissen, worum es geht, ignorieren Sie diese Mail: Sie bekommen dann keine weitere.',
  }),
};

/** @param locale a language tag; null: English */
export const mailTexts = (locale: string | null): MailTexts => (/^de\b/i.test(locale ?? '') ? german : english);
