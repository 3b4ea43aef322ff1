import type { ToolCategory } from '@drawbridge/contracts/tool-category';

type Area = 'files' | 'changes' | 'shell' | 'screen' | 'browser';

const areasOf = ({ name, enabled, writeAccess }: ToolCategory): Area[] => {
  if (!enabled) return [];
  switch (name) {
    case 'filesystem':
      return writeAccess === true ? ['files', 'changes'] : ['files'];
    case 'filesystemRead':
      return ['files'];
    case 'filesystemWrite':
      return ['changes'];
    case 'shell':
      return ['shell'];
    case 'computer':
    case 'screenshot':
      return ['screen'];
    case 'browser':
      return ['browser'];
    default:
      return [];
  }
};

/** A first message, and what it is about in a few words. */
export interface Example {
  label: string;
  text: string;
}

/** An example with what it needs; the first ones that the machine offers are shown. */
const examples: (Example & { needs: Area[] })[] = [
  {
    needs: ['files'],
    label: 'Explain this folder',
    text: 'List the files here and explain what this folder is for.',
  },
  { needs: ['shell'], label: 'Run the tests', text: 'Run the tests and explain what fails.' },
  {
    needs: ['files', 'changes'],
    label: 'Summarize the notes',
    text: 'Read the notes here and write a summary to summary.md.',
  },
  {
    needs: ['browser'],
    label: 'Describe a web page',
    text: 'Open example.org in the browser and describe the page.',
  },
  {
    needs: ['screen'],
    label: 'Describe the screen',
    text: 'Take a screenshot and describe what is on the screen.',
  },
  {
    needs: ['files'],
    label: 'Find all links',
    text: 'Search the files here for links and list the hosts that they lead to.',
  },
  { needs: ['files'], label: 'Compare two files', text: 'Compare the two newest files here.' },
  { needs: ['shell'], label: 'Find what uses memory', text: 'Show which processes use the most memory.' },
  { needs: ['shell'], label: 'Check the disk space', text: 'Check how much disk space is free.' },
  { needs: [], label: 'What can you do?', text: 'What can you do here?' },
  { needs: [], label: 'Plan a migration', text: 'Make a plan for moving a project to a new repository.' },
  {
    needs: [],
    label: 'Explain symbolic links',
    text: 'Explain the difference between a hard link and a symbolic link.',
  },
];

/** Three first messages that work with these tools; without tools, three that need none. */
export const examplesFor = (categories: readonly ToolCategory[]): Example[] => {
  const offered = new Set(categories.flatMap(areasOf));
  return examples.filter(({ needs }) => needs.every((area) => offered.has(area))).slice(0, 3);
};
