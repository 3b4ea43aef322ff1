import type { Mode, ToolGroup } from '@drawbridge/contracts/groups';

export type Modes = Record<ToolGroup, Mode>;

/** The modes that hold: who may not read may not write. */
export const effectiveModes = (modes: Modes): Modes =>
  modes.filesystemRead === 'deny' ? { ...modes, filesystemWrite: 'deny' } : modes;
