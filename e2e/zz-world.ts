import { createProcesses, startMachine } from '/work/wt/push-tui/e2e/harness/index.ts';
import { startScriptedModel } from '/work/wt/push-tui/e2e/agent/scripted-model.ts';
import { writeFileSync } from 'node:fs';
const processes = createProcesses();
let n = 0;
const model = await startScriptedModel((request) => {
  const text = JSON.stringify(request.body.messages);
  if (/^.{0,40}You (give a conversation|keep the notes)/.test(text)) return { text: 'Title' };
  const last = request.body.messages.at(-1);
  const said = JSON.stringify(last?.content ?? '');
  if (last?.role === 'tool')
    return {
      text: `Done. The tool said something, and this is the answer to it.\nA second line of the answer that is long enough to be wrapped at eighty columns, so that one sees it.`,
    };
  if (said.includes('write'))
    return {
      text: 'I shall write the file.',
      calls: [{ name: 'write_file', arguments: { filePath: 'hello.txt', content: 'hello from the tui\n' } }],
    };
  if (said.includes('slow'))
    return new Promise((r) => setTimeout(() => r({ text: 'Slow answer.' }), 8000)) as never;
  n += 1;
  return { text: `Answer ${n}.` };
});
const { server, ann } = await startMachine(processes, {
  env: { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url },
} as never);
const { token } = await ann.api.tokens.create.mutate({
  name: 'tui',
  scopes: ['agent', 'filesystemRead', 'filesystemWrite'],
});
writeFileSync('/tmp/tui-world.json', JSON.stringify({ url: server.url, token }));
console.log('up', server.url);
process.on(
  'SIGUSR2',
  () =>
    void (async () => {
      await server.end('SIGKILL');
      await new Promise((r) => setTimeout(r, 3000));
      await server.restart();
      console.log('restarted');
    })(),
);
process.on('SIGTERM', () => void processes.stopAll().then(() => process.exit(0)));
setInterval(() => {}, 1000);
