/** The row as `read` returns it; undefined for an unreadable row, so that other rows are still shown. */
export const readable = <Value>(read: () => Value): Value | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/** In milliseconds since 1970. Throws for what names no moment. */
export const timeOf = (value: string | Date): number => new Date(new Date(value).toISOString()).getTime();
