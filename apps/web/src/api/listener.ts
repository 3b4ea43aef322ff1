import type { LiveEvent } from '@drawbridge/contracts/live';

/** What an open panel is told. */
export interface Listener {
  onEvent(event: LiveEvent): void;
  /** The stream is open, at first or again: fetch what was missed meanwhile. */
  onUp(): void;
  /** The stream broke; it is being opened again. */
  onDown(): void;
  /** The session is over: nothing more will come. */
  onSignedOut(): void;
}
