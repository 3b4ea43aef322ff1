/**
 * The tools of our own daemon that only read. A machine's `readOnlyHint` is not trusted: it would decide
 * which calls are on disk before they run.
 */
export const readingTools: ReadonlySet<string> = new Set([
  'read_file',
  'list_files',
  'get_file_tree',
  'search_files',
]);

export const isReading = (tool: string): boolean => readingTools.has(tool);
