import type { Happening } from './chat.ts';

/** Shows a chat, and passes on what is typed. */
export interface View {
  show(happening: Happening): void;
  /** Lines that are escaped already. */
  print(text: string): void;
  /** The columns of a terminal. */
  columns(): number | undefined;
  close(): void;
}

export interface ViewEvents {
  onLine(line: string): void;
  onInterrupt(): void;
  /** No more lines come. */
  onEnd(): void;
}
