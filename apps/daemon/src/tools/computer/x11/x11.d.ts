/** The part of the package that we use; it has no types. Answering `true` marks an error as handled. */
declare module 'x11' {
  type Answer<T> = (error: Error | null | undefined, value: T) => true | void;

  interface Client {
    GetKeyboardMapping(firstKeycode: number, count: number, answer: Answer<number[][]>): void;
    ChangeKeyboardMapping(firstKeycode: number, keysymsPerKeycode: number, keysyms: number[]): void;
    QueryPointer(window: number, answer: Answer<{ keyMask: number; child: number }>): void;
    GetInputFocus(answer: Answer<{ focus: number }>): void;
    QueryTree(window: number, answer: Answer<{ parent: number }>): void;
    GetProperty(
      ...given: [
        remove: 0,
        ...[window: number, name: number, type: number, from: number, words: number],
        answer: Answer<{ data: Buffer }>,
      ]
    ): void;
    InternAtom(onlyIfThere: boolean, name: string, answer: Answer<number>): void;
    ChangeWindowAttributes(window: number, values: { eventMask: number }): void;
    /** `eventMask` 0 delivers it to the program of the destination. */
    SendClientMessage(
      ...message: [to: number, of: number, type: number, format: 32, data: number[], eventMask: 0]
    ): void;
    on(event: 'event', listener: (event: WindowEvent) => void): void;
    require(extension: 'xtest', answer: Answer<Xtest>): void;
    on(event: 'error', listener: (error: Error) => void): void;
    on(event: 'end', listener: () => void): void;
    close(closed: () => void): void;
  }

  interface WindowEvent {
    name: string;
    message_type?: number;
    data?: number[];
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
  export type { Answer, Client, Display, WindowEvent, Xtest };
}
