import { groupWords } from '../../../ui/text/words.ts';
import { subjectOf } from '../title.ts';
import type { Group } from './groups.ts';

/** Of Drawbridge's own tools; `#` is replaced with the number of questions. */
const sentences: Record<string, string> = {
  read_file: 'Read # files',
  export_file: 'Give out # files',
  write_file: 'Write # files',
  edit_file: 'Change # files',
  create_directory: 'Create # folders',
  copy_file: 'Copy # files',
  delete: 'Delete # files or folders',
  undo_change: 'Undo # changes',
  move: 'Move # files or folders',
};

/** The folder that all subjects are in; else empty. */
const commonFolder = (subjects: readonly string[]): string => {
  const folders = new Set(subjects.map((path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))));
  const [only = '', ...others] = folders;
  return others.length === 0 ? only : '';
};

/** "Write 5 files in content/posts?" */
export const groupTitle = (members: Group): string => {
  const [first] = members;
  const sentence = (
    sentences[first.tool] ?? `${groupWords(first.toolGroup).label}: # calls of ${first.tool}`
  ).replace('#', String(members.length));
  const folder = commonFolder(members.map(subjectOf));
  return `${sentence}${folder === '' ? '' : ` in ${folder}`}?`;
};
