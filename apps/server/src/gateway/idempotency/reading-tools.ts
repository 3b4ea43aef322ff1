/**
 * The tools of our own daemon that only read. The list is ours: what a machine says of its tools
 * (`readOnlyHint`) decides
 * nothing about what is on disk before it is done.
 */
const readingTools = new Set(['read_file', 'list_files', 'get_file_tree', 'search_files']);

export const isReading = (tool: string): boolean => readingTools.has(tool);
