const ascii = /^[\x20-\x7e]*$/;
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/** One spelling for composed letters and letters in another shape, without invisible marks. */
export const withoutInvisible = (text: string): string => text.normalize('NFKC').replace(invisible, '');

/** One spelling for what a disk or an eye takes for the same: case, composed letters, invisible marks. */
export const normalizeText = (text: string): string =>
  ascii.test(text) ? text.toLowerCase() : withoutInvisible(text).toUpperCase().toLowerCase();

/** One spelling for all that some disk takes for the same name: as a text, without final dots and blanks. */
export const normalizeName = (name: string): string => normalizeText(name).replace(/[. ]+$/, '');
