// Makes the README's pictures: the real panel and chat with a real machine, a scripted model and open questions.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolScopes } from '@drawbridge/contracts/groups';
import type { Turn } from './agent/model-turn.ts';
import { startScriptedModel } from './agent/scripted-model.ts';
import {
  chatPicturePath,
  connectDaemon,
  createProcesses,
  newFolder,
  openPage,
  picturePath,
  startOwnBrowser,
  startServer,
  until,
} from './harness/index.ts';

const files = {
  'release-notes.md': '# Release notes\n\n- Faster start\n- Fewer questions\n',
  'todo.txt': 'Write the notes\n',
  'prices.js': 'export const total = (items) => items.reduce((sum, item) => sum + item.price, 0);\n',
  'prices.test.js': "test('counts quantities', () => equal(total([{ price: 2, quantity: 3 }]), 6));\n",
};

const read = (filePath: string) => ({ name: 'read_file', arguments: { filePath } });
const title: Turn = { text: 'Totals' };
const turns: readonly Turn[] = [
  { text: 'I look at the folder first.', calls: [{ name: 'list_files', arguments: { dirPath: '.' } }] },
  { calls: [read('prices.js'), read('prices.test.js')] },
  {
    text: 'The total leaves out the quantity. I correct `prices.js` and then run the test.',
    calls: [
      {
        name: 'edit_file',
        arguments: {
          filePath: 'prices.js',
          oldString: 'item.price,',
          newString: 'item.price * item.quantity,',
        },
      },
    ],
  },
];

const processes = createProcesses();
const browser = await startOwnBrowser({ full: true });
const model = await startScriptedModel(({ tools }, number) =>
  tools.length === 0 ? title : (turns[number - 1] ?? title),
);
try {
  const server = await startServer(processes, { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url });
  const ann = await server.createOwner();
  const root = join(newFolder('home'), 'site');
  mkdirSync(root);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  await connectDaemon(processes, { person: ann, url: server.url, root });
  const page = await openPage(browser, { person: ann, colorScheme: 'light', deviceScaleFactor: 1 });
  const question = page.locator('[data-decision=allowOnce]:enabled');

  await page.goto(`${server.url}/chat`);
  await page.getByRole('textbox', { name: 'Message' }).fill('The test of the totals fails. Please fix it.');
  await page.keyboard.press('Enter');
  await question.waitFor();
  await page.screenshot({ path: chatPicturePath });
  await page.locator('[data-decision=denyOnce]').click();
  await page.locator('[data-test=usage]').waitFor();

  const { token } = await ann.api.tokens.create.mutate({ name: 'Claude Code', scopes: [...toolScopes] });
  const ask = (name: string, args: Record<string, unknown>) =>
    fetch(`${server.url}/api/v1/calls`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Prefer: 'respond-async',
      },
      body: JSON.stringify({ name, arguments: args }),
    });
  const edit = {
    oldString: '- Fewer questions',
    newString: '- Fewer questions\n- Search skips binary files',
  };
  const asked = [
    () => ask('edit_file', { filePath: 'release-notes.md', ...edit }),
    () => ask('move', { sourcePath: 'todo.txt', destinationPath: 'done.txt' }),
    ...['news', 'team', 'jobs'].map(
      (name) => () => ask('write_file', { filePath: `pages/${name}.md`, content: `# ${name}\n` }),
    ),
    () => ask('delete', { path: 'prices.test.js' }),
  ];
  for (const [done, next] of asked.entries()) {
    await next();
    await until(async () => (await ann.api.confirmations.list.query()).length > done);
  }
  await page.goto(`${server.url}/inbox`);
  await question.waitFor();
  await page.locator('[data-row=added]').first().waitFor();
  await page.screenshot({ path: picturePath });
  console.log(`${chatPicturePath}\n${picturePath}`);
} finally {
  await browser.close();
  await model.close();
  await processes.stopAll();
}
