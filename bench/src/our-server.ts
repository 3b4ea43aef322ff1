// The whole server, and a second port that passes calls to `gateway.calls.open` without a door.
import { toolCall } from '@drawbridge/contracts/tool-call';
import { systemClock } from '@drawbridge/kit';
import { createApp } from '@drawbridge/server/app';
import { readConfig } from '@drawbridge/server/config';
import { serveCalls } from './processes/serve.ts';

const read = readConfig();
if ('problem' in read) throw new Error(read.problem);
const app = await createApp({
  config: read.config,
  clock: systemClock,
  writeLog: (line) => void process.stderr.write(line),
});
const url = await app.listen();
const calls = await serveCalls(async (body, path) => {
  const call = toolCall.parse(JSON.parse(body));
  const machine = await app.gateway.machines.default(path.slice(1));
  if (!machine) throw new Error('the user has no machine');
  const handle = await app.gateway.calls.open(machine, call, { door: 'trpc' });
  const ended = await handle.wait({ until: 'ended' });
  return JSON.stringify(ended);
});
console.log(`Drawbridge is ready on ${url}\ncalls on ${calls};`);
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
