let second = Number.NaN;
let begins = '';

/** The ISO text of a time in whole milliseconds since 1970. Most times that are asked for lie in one second: its part is kept. */
export const isoTime = (at: number): string => {
  const ofAt = Math.floor(at / 1_000);
  if (ofAt !== second) {
    begins = new Date(ofAt * 1_000).toISOString().slice(0, -'000Z'.length);
    second = ofAt;
  }
  return `${begins}${String(at - ofAt * 1_000).padStart(3, '0')}Z`;
};
