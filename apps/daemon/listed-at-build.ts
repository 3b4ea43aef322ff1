import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const url = new URL('src/tools/listed.ts', import.meta.url).href;
const program = `import { listed } from ${JSON.stringify(url)}; console.log(JSON.stringify(listed));`;

/** Puts the value of `listed` in the place of its module, as text: that is read faster than code. */
export const listedAtBuild = {
  name: 'listed-at-build',
  load: async (id: string) => {
    if (id !== fileURLToPath(url)) return null;
    const flags = ['--import', 'tsx', '--input-type=module'];
    const { stdout } = await run(process.execPath, [...flags, '--eval', program], {
      cwd: import.meta.dirname,
    });
    return `export const listed = JSON.parse(${JSON.stringify(stdout)});`;
  },
};
