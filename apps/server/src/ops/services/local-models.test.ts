import { systemClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { openStandIn } from '../../../test/http-stand-in.ts';
import { controlService } from './adapter.ts';
import { createLocalModels } from './local-models.ts';

const startOllama = async (lines: readonly object[]) => {
  const { url } = await openStandIn(({ path }, reply) => {
    if (path === '/api/version') return reply.end('{}');
    if (path !== '/api/pull') return reply.writeHead(404).end();
    reply.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  });
  return url;
};

const adapterFor = (url: string | null, models: string[] = ['llama3']) =>
  createLocalModels({
    clock: systemClock,
    run: async () => ({ kind: 'missing' }),
    localModels: async () => ({ url, models }),
    hasControl: true,
  });

const update = { id: 'ollama', action: 'update' } as const;

it('an Ollama that answers without a unit is listed, and pulls the models of the settings with its progress', async () => {
  const pulled = [
    { status: 'pulling', completed: 1, total: 3 },
    { status: 'pulling' },
    { status: 'success' },
  ];
  const adapter = adapterFor(`${await startOllama(pulled)}/v1`);
  const { services, reason } = await adapter.list();
  expect(reason).toBeUndefined();
  expect(services.map(({ view }) => view)).toMatchObject([
    { id: 'ollama', configured: true, statusText: 'answers', availableActions: ['update'] },
  ]);
  const progress: string[] = [];
  const { id } = await controlService(adapter, update, (line) => void progress.push(line));
  expect([id, ...progress]).toEqual([
    'ollama',
    'llama3: pulling 33 %\n',
    'llama3: pulling\n',
    'llama3: success\n',
  ]);
});

it('says why it pulls nothing, and what it does not control', async () => {
  const url = await startOllama([{ error: 'no such model' }]);
  const message = 'Ollama could not pull the model';
  await expect(controlService(adapterFor(url), update)).rejects.toMatchObject({ message });
  await expect(controlService(adapterFor(url, []), update)).rejects.toMatchObject({
    message: "The agent's settings name no model of Ollama",
  });
  await expect(controlService(adapterFor(url), { ...update, action: 'stop' })).rejects.toMatchObject({
    message: 'It runs here without a unit of systemd',
  });
  await expect(controlService(adapterFor(null), update)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
