import { parseArgs } from 'node:util';
import { createProcesses } from '../harness/index.ts';
import { race } from './play.ts';

const help = `Usage: pnpm races [--operations 50000] [--at-once 8]

Calls every file tool while another process swaps folders and files for links that lead out, and counts what gets through.

  --operations  how many calls in all
  --at-once     how many at a time
`;

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '50000' },
    'at-once': { type: 'string', default: '8' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(help);
else {
  const processes = createProcesses();
  const { counts, swaps, escapes } = await race(processes, {
    count: Number(values.operations),
    atOnce: Number(values['at-once']),
  });
  await processes.stopAll();
  console.table(counts);
  console.log(`swaps      ${swaps}\nescapes    ${escapes.length}`);
  for (const escape of escapes.slice(0, 20)) console.log(`  ${escape}`);
  if (escapes.length > 0) process.exitCode = 1;
}
