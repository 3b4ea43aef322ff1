/**
 * How dates and numbers are written for a person of this language (BCP 47), in English sentences: with Latin
 * digits and years of the Gregorian calendar. English for a name that is no language.
 */
export const personLocale = (language: string): Intl.Locale => {
  const options = { numberingSystem: 'latn', calendar: 'gregory' };
  try {
    return new Intl.Locale(language, options);
  } catch {
    // Such as the `en-US@posix` of a browser without a language.
    return new Intl.Locale('en', options);
  }
};
