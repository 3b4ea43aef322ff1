/** `note`: not wrong, and worth knowing. */
export type CheckState = 'ok' | 'note' | 'warning' | 'problem';

export interface Check {
  name: string;
  state: CheckState;
  says: string;
  fix?: string;
}
