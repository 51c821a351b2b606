/** The fault of the header `Authorization`: only what its text shows. */
export function whyMalformed(authorization: string): string {
  const [scheme = '', key] = authorization.trim().split(/\s+/);
  if (/^(Bearer)?$/i.test(scheme) && key === undefined) {
    return 'The header Authorization has no API key. Send Authorization: Bearer <key>.';
  }
  return /^Bearer$/i.test(scheme)
    ? 'The API key in the header Authorization is malformed. Copy it whole: it begins with hw_ and has no spaces.'
    : 'The header Authorization must be Bearer and the API key: Authorization: Bearer <key>.';
}
