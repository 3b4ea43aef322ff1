/** The part of the package that we use; it has no types. Answering `true` marks an error as handled. */
declare module 'x11' {
  type Answer<T> = (error: Error | null | undefined, value: T) => true | void;

  interface Client {
    GetKeyboardMapping(firstKeycode: number, count: number, answer: Answer<number[][]>): void;
    ChangeKeyboardMapping(firstKeycode: number, keysymsPerKeycode: number, keysyms: number[]): void;
    QueryPointer(window: number, answer: Answer<{ keyMask: number }>): void;
    GetInputFocus(answer: Answer<unknown>): void;
    require(extension: 'xtest', answer: Answer<Xtest>): void;
    on(event: 'error', listener: (error: Error) => void): void;
    on(event: 'end', listener: () => void): void;
    close(closed: () => void): void;
  }

  interface Xtest {
    KeyPress: number;
    KeyRelease: number;
    /** The server waits `delayMs` before it acts, and before it reads the next request. */
    FakeInput(type: number, keycode: number, delayMs: number, window: number, x: number, y: number): void;
  }

  interface Display {
    client: Client;
    min_keycode: number;
    max_keycode: number;
    screen: { root: number }[];
  }

  const x11: {
    /** Of the display that `DISPLAY` names. `shm` is for pictures. */
    createClient(options: { shm: false }, answer: Answer<Display>): Client;
    keySyms: Record<string, { code: number; description: string | null }>;
  };
  export default x11;
  export type { Answer, Client, Display, Xtest };
}
