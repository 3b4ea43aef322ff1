/** The output of a running tool. Lengths are UTF-16 code units. */
export interface LiveOutput {
  /** In order; only the last one grows. */
  parts: readonly { id: number; text: string }[];
  length: number;
  /** Length of the dropped beginning. */
  cutLength: number;
}

export const maxShownLength = 256 * 1024;
/** A part does not grow beyond this, so that earlier parts are not rendered again. */
const fullPartLength = 8 * 1024;

export const noOutput: LiveOutput = { parts: [], length: 0, cutLength: 0 };

const grown = (parts: LiveOutput['parts'], text: string): LiveOutput['parts'] => {
  const last = parts.at(-1);
  if (last === undefined) return [{ id: 0, text }];
  if (last.text.length + text.length > fullPartLength) return [...parts, { id: last.id + 1, text }];
  return [...parts.slice(0, -1), { id: last.id, text: last.text + text }];
};

/** Appends text and drops whole parts at the front beyond the limit. */
export const appended = (output: LiveOutput, text: string): LiveOutput => {
  if (text === '') return output;
  const kept = text.slice(-maxShownLength);
  let parts = grown(output.parts, kept);
  let length = output.length + kept.length;
  let cutLength = output.cutLength + text.length - kept.length;
  while (length > maxShownLength) {
    const [first, ...rest] = parts;
    const gone = first?.text.length ?? 0;
    parts = rest;
    length -= gone;
    cutLength += gone;
  }
  return { parts, length, cutLength };
};

/**
 * Adds text that begins at `offset` of the whole output. Known text is skipped; after a gap the older output
 * is dropped.
 */
export const placed = (
  output: LiveOutput,
  { offset, text }: { offset: number; text: string },
): LiveOutput => {
  const end = output.cutLength + output.length;
  return offset > end
    ? appended({ ...noOutput, cutLength: offset }, text)
    : appended(output, text.slice(end - offset));
};
