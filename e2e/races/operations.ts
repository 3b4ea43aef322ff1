/** One call of a file tool. */
export interface Operation {
  name: string;
  arguments: Record<string, unknown>;
}

const folders = ['in', 'in/deep', 'in/deep/er', 'half', 'half/deep', 'to-kept', 'to-kept/deep'];

/** Every file tool, above, in and below what is being swapped; `at` settles which and where. */
const operationsIn = (folder: string, at: number): Operation[] => {
  const [v, w] = [`${folder}/v${at % 7}.txt`, `${folder}/w${at % 7}.txt`];
  const file = `${folder}/a.txt`;
  return [
    { name: 'read_file', arguments: { filePath: file } },
    { name: 'read_file', arguments: { filePath: 'file.txt' } },
    { name: 'write_file', arguments: { filePath: w, content: 'mine' } },
    { name: 'write_file', arguments: { filePath: `${folder}/n${at % 5}/m/w.txt`, content: 'mine' } },
    { name: 'write_file', arguments: { filePath: 'file.txt', content: 'inside' } },
    { name: 'list_files', arguments: { dirPath: folder } },
    { name: 'get_file_tree', arguments: { dirPath: folder } },
    { name: 'get_file_tree', arguments: { dirPath: '.', maxDepth: 5 } },
    { name: 'search_files', arguments: { name: '**', query: 'secret' } },
    { name: 'search_files', arguments: { name: '**/only-*' } },
    { name: 'edit_file', arguments: { filePath: file, oldString: 'inside', newString: 'inside' } },
    { name: 'edit_file', arguments: { filePath: 'file.txt', oldString: 'in', newString: 'in' } },
    { name: 'create_directory', arguments: { dirPath: `${folder}/made${at % 5}` } },
    { name: 'move', arguments: { sourcePath: w, destinationPath: v } },
    { name: 'move', arguments: { sourcePath: `${folder}/n${at % 5}`, destinationPath: `moved${at % 5}` } },
    { name: 'copy_file', arguments: { sourcePath: file, destinationPath: `copy${at % 5}.txt` } },
    { name: 'copy_file', arguments: { sourcePath: 'b.txt', destinationPath: `${folder}/c${at % 5}.txt` } },
    { name: 'delete', arguments: { path: v } },
    { name: 'delete', arguments: { path: `${folder}/made${at % 5}` } },
    { name: 'delete', arguments: { path: `moved${at % 5}` } },
  ];
};

/** `count` calls, each tool in each place in turn. */
export function* operations(count: number): Generator<Operation> {
  for (let at = 0, given = 0; ; at += 1) {
    for (const operation of operationsIn(folders[at % folders.length] ?? 'in', at)) {
      if (given === count) return;
      given += 1;
      yield operation;
    }
  }
}
