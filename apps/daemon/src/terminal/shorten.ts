/** At most `maxLength` characters, marked where it was cut. */
export const shorten = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;

/** Our own keys, wherever they come up in a text, without what makes them work. */
export const withoutKeys = (text: string): string => text.replace(/(gw|sess)_[A-Za-z0-9_-]{6,}/g, '$1_…');
