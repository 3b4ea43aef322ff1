import { spawn } from 'node:child_process';
import { styleText } from 'node:util';
import manifest from './package.json' with { type: 'json' };

// Each check is a script of package.json and can be run alone: pnpm --filter @drawbridge/tools check:lint
const commands = Object.entries(manifest.scripts).filter(([name]) => name.startsWith('check:'));

interface Outcome {
  name: string;
  passed: boolean;
}

const run = (command: string): Promise<{ passed: boolean; output: string }> =>
  new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('close', (code) => resolve({ passed: code === 0, output }));
  });

const runAndShow = async ([script, command]: [string, string]): Promise<Outcome> => {
  const name = script.slice('check:'.length);
  const { passed, output } = await run(command);
  console.log(passed ? styleText('green', `passed  ${name}`) : styleText('red', `failed  ${name}`));
  if (!passed) console.log(output.trimEnd());
  return { name, passed };
};

// Two at a time, in the order of the scripts: those that take longest stand first.
const outcomes: Outcome[] = [];
const left = commands.values();
const runThoseLeft = async () => {
  for (const command of left) outcomes.push(await runAndShow(command));
};
await Promise.all([runThoseLeft(), runThoseLeft()]);

const failed = outcomes.filter((outcome) => !outcome.passed);
console.log(`\n${outcomes.length - failed.length} of ${outcomes.length} checks passed`);
if (failed.length > 0) {
  console.log(styleText('red', `failed: ${failed.map((outcome) => outcome.name).join(', ')}`));
  process.exitCode = 1;
}
