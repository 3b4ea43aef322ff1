// Makes docs/panel.png, the README's picture: the real panel with a real machine and an open question.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  connectDaemon,
  createProcesses,
  newFolder,
  openPage,
  picturePath,
  run,
  startBrowser,
  startServer,
} from './harness/index.ts';

const files = {
  'release-notes.md': '# Release notes\n\n- Faster start\n- Fewer questions\n',
  'todo.txt': 'Write the notes\n',
};

const processes = createProcesses();
const browser = await startBrowser();
try {
  const server = await startServer(processes);
  const ann = await server.createOwner();
  const root = join(newFolder('home'), 'site');
  mkdirSync(root);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  await connectDaemon(processes, { person: ann, url: server.url, root });
  await run(ann, 'list_files', { dirPath: '.' });
  await run(ann, 'read_file', { filePath: 'release-notes.md' });

  const page = await openPage(browser, { person: ann, colorScheme: 'light', deviceScaleFactor: 1 });
  await page.goto(`${server.url}/activity`);
  const content = `${files['release-notes.md']}- Search skips binary files\n`;
  await run(ann, 'write_file', { filePath: 'release-notes.md', content });
  await page.locator('[data-decision=allowOnce]:enabled').waitFor();
  await page.screenshot({ path: picturePath });
  console.log(picturePath);
} finally {
  await browser.close();
  await processes.stopAll();
}
