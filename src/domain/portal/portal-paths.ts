/** The screens of the portal by their paths; a part after `$` is an id or a name. `/` leads to the first screen. */
export const PORTAL_SCREENS = [
  '/overview',
  '/endpoints',
  '/endpoints/new',
  '/endpoints/$number',
  '/deliveries',
  '/deliveries/$number',
  '/events',
  '/events/$number',
  '/catalogue',
  '/catalogue/$name',
  '/operations',
  '/operations/$id',
  '/notices',
  '/keys',
  '/audit',
] as const;

const LENGTH_MAX = 2_048;

/** An id, a name, or `ext:` and an external id as it is in addresses. */
const PART = "(?:[\\w.-]{1,128}|ext:[\\w.~%!$&'()*+,;=:@-]{1,765})";

const paths = new RegExp(
  `^(/|${PORTAL_SCREENS.map((screen) => screen.replaceAll(/\$\w+/g, () => PART)).join('|')})(\\?[!-"$-~]*)?$`,
);

/** Whether a text is a path of the portal, such as `/deliveries?status=FAILED`: as browsers send it, in ASCII. */
export const isPortalPath = (text: string): boolean => text.length <= LENGTH_MAX && paths.test(text);
