import { isEventTypeName, WILDCARD } from '../../../../domain/events/event-type.js';
import { EVENT_TYPES_MAX, webhookFields } from '../../../../domain/fields/webhook-fields.js';
import { FORM_PRESETS } from '../../../../domain/signing/form-presets.js';
import { isSecret, SECRET_FORMS } from '../../../../domain/signing/secret.js';
import { type Known, knownOf } from '../../../../operations/fields/kind-rules.js';
import { newValues } from '../../../../operations/fields/rules.js';
import { settleProblem } from '../../../../operations/webhooks/settle-rules.js';
import { readConfig } from '../../../../platform/settings/config.js';
import type { WebhookLine } from './line.js';
import { fieldsOf } from './webhook-input.js';

/** Why a service would refuse a line, as ends of a sentence without values. */
interface Foreseen {
  /** Whether its settings are the default ones or not. */
  certain: string[];
  /** By its default settings: the operator may have opened addresses, raised a maximum, or described a form. */
  unsure: string[];
}

/** Judges a line by the service's own rules, once by default settings and once by the widest ones. */
export function foreseenRefusals(line: WebhookLine): Foreseen {
  const { events, secret, previousSecret, compat = null } = line;
  const { usual, widest } = rulesBeside(compat);
  const certain = brokenRules(line, widest);
  return {
    certain: [
      ...ofEvents(events),
      ...ofSecret('secret', secret),
      ...ofSecret('previousSecret', previousSecret),
      ...certain.values(),
      ...(certain.size > 0 ? [] : ofSettling(line)),
    ],
    unsure: [
      ...[...brokenRules(line, usual)].filter(([place]) => !certain.has(place)).map(([, problem]) => problem),
      ...ofForm(line),
    ],
  };
}

type Rules = ReturnType<typeof newValues>;

/** By the form of a line, because a file has few forms and making rules takes milliseconds. */
const rulesByForm = new Map<string | null, { usual: Rules; widest: Rules }>();

/** The rules of an installation by default settings, and those of the most open one, which are the domain's own. */
function rulesBeside(form: string | null): { usual: Rules; widest: Rules } {
  let rules = rulesByForm.get(form);
  if (rules === undefined) {
    const usual = usualInstallation(form);
    rules = { usual: newValues(webhookFields, usual), widest: newValues(webhookFields, widened(usual)) };
    rulesByForm.set(form, rules);
  }
  return rules;
}

/** An installation without settings of its own. Event types and forms are judged apart. */
const usualInstallation = (form: string | null): Known => ({
  ...knownOf(readConfig({}, { needsEncryptionKeys: false })),
  target: { allowHttp: false, allowedRanges: [], loopbackHttp: false },
  eventTypes: { all: [WILDCARD], shown: [] },
  names: { signatureForms: form === null ? [] : [form], releases: [] },
});

const widened = (usual: Known): Known => ({
  ...usual,
  target: { allowHttp: true, allowedRanges: ['0.0.0.0/0', '::/0'], loopbackHttp: true },
  headerPrefix: UNUSUAL_PREFIX,
  maxima: { attemptTimeoutMsMax: Number.POSITIVE_INFINITY, endpointConcurrencyMax: Number.POSITIVE_INFINITY },
});

/** One that no header of a line begins with. */
const UNUSUAL_PREFIX = 'X-Hookwright-Unusual-Prefix';

/** The problems by places of the line. */
function brokenRules(line: WebhookLine, rules: Rules): Map<string, string> {
  // Nobody knows the releases of the service here, nor the schemas of its event types.
  const input = { ...fieldsOf({ ...line, release: null, shape: null }), eventTypes: [WILDCARD] };
  const issues = rules.safeParse(input).error?.issues ?? [];
  const { setHeaders = [] } = (input as { delivery?: { setHeaders?: { name: string }[] } }).delivery ?? {};
  return new Map(
    issues.map(({ path, message }) => {
      const place = placeOf(path.map(String), setHeaders);
      return [place, `${place} ${message}`];
    }),
  );
}

/** Lines have no groups, and headers by their names. */
function placeOf([first = '', ...path]: readonly string[], headers: readonly { name: string }[]): string {
  const place = first === 'delivery' || first === 'content' ? path : [first, ...path];
  return place[0] === 'setHeaders' && place.length > 1
    ? `headers.${headers[Number(place[1])]?.name.slice(0, NAME_SHOWN_CHARS_MAX)}`
    : place.join('.');
}

const NAME_SHOWN_CHARS_MAX = 64;

const ofForm = ({ compat }: WebhookLine): string[] =>
  compat == null || compat === '' || Object.hasOwn(FORM_PRESETS, compat)
    ? []
    : [`compat must be one of ${Object.keys(FORM_PRESETS).join(', ')}, or of the SIGNATURE_FORMS of the service`];

/** One field alone breaks none of these rules. */
function ofSettling({ ordering }: WebhookLine): string[] {
  const problem = settleProblem(ordering ?? {}, ordering ?? {});
  return problem === null ? [] : [`ordering.${problem.field} ${problem.detail}`];
}

const ofSecret = (field: string, secret: string | null | undefined): string[] =>
  secret == null || secret === '' || isSecret(secret) ? [] : [`${field} must be ${SECRET_FORMS}`];

function ofEvents(events: readonly string[]): string[] {
  if (events.length > EVENT_TYPES_MAX) {
    return [`events must have at most ${EVENT_TYPES_MAX} names, or be ["*"]`];
  }
  return events.flatMap((name, index) => {
    if (name === WILDCARD) {
      return events.length === 1 ? [] : [`events.${index} "*" must stand alone`];
    }
    if (events.indexOf(name) < index) {
      return [`events.${index} is in the list twice`];
    }
    return isEventTypeName(name)
      ? []
      : [`events.${index} must be 2 or more parts of a-z, 0-9 and _, with dots between them, such as order.paid`];
  });
}
