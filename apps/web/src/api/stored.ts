/** A text in the storage of the browser; if that is refused, it lasts as long as the window. */
export const createStored = (key: string) => {
  let unstored: string | null = null;
  return {
    read: (): string | null => {
      try {
        return localStorage.getItem(key);
      } catch {
        return unstored;
      }
    },
    /** Null removes it. */
    write: (text: string | null): void => {
      try {
        if (text === null) localStorage.removeItem(key);
        else localStorage.setItem(key, text);
      } catch {
        unstored = text;
      }
    },
  };
};
