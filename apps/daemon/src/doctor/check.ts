/** `note`: not wrong, and worth knowing. */
export type CheckState = 'ok' | 'note' | 'warning' | 'problem';

/** One thing that was looked at. */
export interface Check {
  name: string;
  state: CheckState;
  says: string;
  /** What to do about it. */
  fix?: string;
}
