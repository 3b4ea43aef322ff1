import { expect, it } from 'vitest';
import { confirmationOf } from '../../../test/worlds.ts';
import { titleOf } from './title.ts';

const folder = '/home/ada/notes';
const asked = (tool: string, [toolGroup, resource]: [string, string], given: Record<string, unknown> = {}) =>
  confirmationOf({ tool, arguments: given, toolGroup, resource, resources: [] });

it.each([
  [
    asked('write_file', ['filesystemWrite', `${folder}/src/a.ts`], { filePath: 'src/a.ts' }),
    'Change src/a.ts?',
  ],
  // Not the end of the path that would be written: the whole path.
  [
    asked('write_file', ['filesystemWrite', '/etc/passwd'], { filePath: '../../../etc/passwd' }),
    'Change /etc/passwd?',
  ],
  [
    asked('edit_file', ['filesystemWrite', `${folder}/a.ts`], { newString: 'b.ts' }),
    `Change ${folder}/a.ts?`,
  ],
  [asked('delete', ['filesystemWrite', `${folder}/old`], { path: 'old' }), 'Delete old?'],
  [
    asked('delete', ['filesystemWrite', `${folder}/old/**`], { path: 'old' }),
    'Delete the folder old and everything in it?',
  ],
  [asked('shell_execute', ['shell', 'x'.repeat(201)]), `Run ${'x'.repeat(200)} …?`],
  [asked('shell_execute', ['shell', 'npm test'], { command: 'npm test' }), 'Run npm test?'],
  [asked('shell_execute', ['shell', 'a\nb'], {}), 'Run a …?'],
  [asked('shell_execute', ['shell', "echo $& $'"], {}), "Run echo $& $'?"],
  [asked('screen_screenshot', ['computer', 'screen']), 'Take a screenshot?'],
  [asked('browser_navigate', ['browser', 'docs.example.org']), 'Open docs.example.org?'],
  [asked('browser_click', ['browser', 'docs.example.org']), 'Use the browser on docs.example.org?'],
  [asked('activate_tools', ['system', 'switch on shell']), 'Switch on shell?'],
  [asked('mail_send', ['mcp', 'mail/send']), 'Run mail/send?'],
  [asked('fetch_row', ['database', 'people']), 'Run fetch_row on people?'],
  [confirmationOf({ title: 'Delete 30 files?', tool: 'delete' }), 'Delete 30 files?'],
])('%#: asks in one line: %s', (confirmation, title) => {
  expect(titleOf(confirmation)).toBe(title);
});

it('says that a file is new', () => {
  const resource = { toolGroup: 'filesystemWrite', resource: '/w/a', description: 'Write new file: /w/a' };
  expect(titleOf(confirmationOf({ resources: [resource] }))).toBe('Create /w/a?');
});

it('names what would be changed, beside what would be read', () => {
  const resources = [
    { toolGroup: 'filesystemRead', resource: `${folder}/a`, description: `Copy from: ${folder}/a` },
    { toolGroup: 'filesystemWrite', resource: `${folder}/b`, description: `Copy to: ${folder}/b` },
  ];
  expect(titleOf(confirmationOf({ tool: 'copy_file', resources }))).toBe(`Copy a file to ${folder}/b?`);
});
