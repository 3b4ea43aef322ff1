/** All installations had it, so two on one host signed each other's users out. */
export const earlierCookiePrefix = 'drawbridge';

const named = (cookie: string, name: string): boolean =>
  cookie.split(';').some((pair) => pair.trim().startsWith(`${name}=`));

/**
 * The header with the cookie of an earlier sign-in under the present name, so that sessions outlive the
 * change of names. Sessions last 30 days, so a release after that no longer needs it.
 */
export const withEarlierCookie = (cookie: string, present: string): string => {
  const earlier = present.replace(/drawbridge-[0-9a-f]+/, earlierCookiePrefix);
  return named(cookie, present) || !named(cookie, earlier)
    ? cookie
    : cookie.replace(`${earlier}=`, `${present}=`);
};
