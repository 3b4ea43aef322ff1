import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const url = new URL('src/tools/static-descriptors.ts', import.meta.url).href;
const program = `import { descriptors } from ${JSON.stringify(url)}; console.log(JSON.stringify(descriptors));`;

/** Puts the value of `descriptors` in the place of its module, as text: that is read faster than code. */
export const describeAtBuild = {
  name: 'describe-at-build',
  load: async (id: string) => {
    if (id !== fileURLToPath(url)) return null;
    // A build may run on the oldest Node that is supported, which does this only when told to.
    const flags = ['--experimental-strip-types', '--input-type=module'];
    const { stdout } = await run(process.execPath, [...flags, '--eval', program], {
      cwd: import.meta.dirname,
    });
    return `export const descriptors = JSON.parse(${JSON.stringify(stdout)});`;
  },
};
