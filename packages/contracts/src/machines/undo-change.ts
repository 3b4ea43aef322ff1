/** The tool that undoes what a call of a file tool changed. */
export const undoTool = 'undo_change';

/** The tools whose changes a machine keeps for it. */
export const undoableTools: readonly string[] = [
  'write_file',
  'edit_file',
  'delete',
  'move',
  'copy_file',
  undoTool,
];

/** So many calls are undone at once. */
export const maxUndoneCalls = 100;

/** For how long, in milliseconds. */
export const keptChangeMs = 7 * 24 * 60 * 60_000;

/** How its failure begins where a file has changed again; `evenIfChanged` undoes it all the same. */
export const changedSinceText = 'Changed again since that call';
