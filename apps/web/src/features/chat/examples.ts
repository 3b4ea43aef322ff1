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

/** An example with what it needs; the first ones that the machine offers are shown. */
const examples: { needs: Area[]; text: string }[] = [
  { needs: ['files'], text: 'List the files here and explain what this folder is for.' },
  { needs: ['shell'], text: 'Run the tests and explain what fails.' },
  { needs: ['files', 'changes'], text: 'Read the notes here and write a summary to summary.md.' },
  { needs: ['browser'], text: 'Open example.org in the browser and describe the page.' },
  { needs: ['screen'], text: 'Take a screenshot and describe what is on the screen.' },
  { needs: ['files'], text: 'Search the files here for links and list the hosts that they lead to.' },
  { needs: ['files'], text: 'Compare the two newest files here.' },
  { needs: ['shell'], text: 'Show which processes use the most memory.' },
  { needs: ['shell'], text: 'Check how much disk space is free.' },
  { needs: [], text: 'What can you do here?' },
  { needs: [], text: 'Make a plan for moving a project to a new repository.' },
  { needs: [], text: 'Explain the difference between a hard link and a symbolic link.' },
];

/** Three first messages that work with these tools; without tools, three that need none. */
export const examplesFor = (categories: readonly ToolCategory[]): string[] => {
  const offered = new Set(categories.flatMap(areasOf));
  return examples
    .filter(({ needs }) => needs.every((area) => offered.has(area)))
    .map(({ text }) => text)
    .slice(0, 3);
};
