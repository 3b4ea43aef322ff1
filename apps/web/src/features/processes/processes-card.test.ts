import type { ProcessList, ShownProcess } from '@drawbridge/contracts/machines/processes';
import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { setBench, type Bench } from '../../../test/mounting.ts';
import { stateWords } from './process-words.ts';
import ProcessesCard from './processes-card.vue';

let bench: Bench;
let close = () => {};
afterEach(async () => {
  close();
  await bench.close();
});

const server: ShownProcess = {
  id: 'p2-abcdef',
  command: 'npm run dev \u202e',
  folder: '/home/ada/notes',
  hosts: ['registry.npmjs.org'],
  owner: 'Desk',
  startedAt: '2026-01-01T00:00:00.000Z',
  end: null,
};
const end = { cause: 'exited', exitCode: 1, at: '2026-01-01T00:00:00.000Z' } as const;
const build: ShownProcess = { ...server, id: 'p1-abcdef', command: 'make', owner: '', hosts: [], end };

const open = async (list: ProcessList) => {
  bench = await setBench({ processes: list });
  const card = mount(ProcessesCard, {
    props: { machineId: 'm1' },
    global: bench.global,
    attachTo: document.body,
  });
  close = () => card.unmount();
  return card;
};
type Card = Awaited<ReturnType<typeof open>>;
const until = async (there: () => boolean) => {
  while (!there()) await flushPromises();
};
const states = (card: Card) => card.findAll('[data-test=state]').map((one) => one.text());

it('SU-54 lists processes with their owner and hosts, and stops one', async () => {
  const card = await open({ processes: [server, build] });
  await until(() => card.findAll('[data-test=process]').length === 2);
  const [first, second] = card.findAll('[data-test=process]').map((one) => one.text());
  expect(first).toContain('npm run dev \\u{202e}');
  expect(first).toContain('Desk');
  expect(first).toContain('connects to registry.npmjs.org');
  expect(second).toContain('you');
  expect(states(card)).toEqual(['Running', 'Ended with code 1']);
  expect(card.findAll('[aria-label^=Stop]')).toHaveLength(1);
  await card.get('[aria-label^=Stop]').trigger('click');
  await until(() => states(card)[0] === 'Stopped by you');
  expect(bench.fixture.world.stopped).toEqual(['p2-abcdef']);
});

it('shows the output as it grows, once a second', async () => {
  const card = await open({ processes: [server] });
  await until(() => card.find('[data-test=process]').exists());
  bench.fixture.world.processes.output = { process: server.id, text: 'ready\u001b]52' };
  await card.get('[aria-expanded=false]').trigger('click');
  await until(() => card.find('[data-test=output]').exists());
  expect(card.get('[data-test=output]').text()).toBe('ready\\x1b]52');
  bench.fixture.world.processes.output = { process: server.id, text: 'ready\nerror' };
  bench.clock.advance(1_000);
  await until(() => card.get('[data-test=output]').text().includes('error'));
});

it('opens a port of one that runs, and says where it is', async () => {
  const card = await open({
    processes: [
      { ...server, ports: [5173, 3000] },
      { ...build, ports: [80] },
    ],
  });
  await until(() => card.findAll('[data-test=process]').length === 2);
  expect(card.findAll('[aria-label^="Open port"]').map((one) => one.text())).toEqual([
    'Open 5173',
    'Open 3000',
  ]);
  await card.get('[aria-label^="Open port 5173"]').trigger('click');
  await until(() => card.find('[data-test=opened]').exists());
  expect(card.get('[data-test=opened] a').attributes('href')).toBe('http://p2-abcdef.localhost:40000');
  expect(card.get('[data-test=opened]').text()).toContain('Port 5173 is at');
});

it('takes no room where there are none', async () => {
  const card = await open({ processes: [] });
  await flushPromises();
  expect(card.find('[data-test=processes]').exists()).toBe(false);
});

it.each([
  [{ end: null, waits: 'password' as const }, 'Running, asks for a password'],
  [{ end: { ...end, exitCode: 137, signal: 'SIGKILL' } }, 'Ended by SIGKILL'],
  [{ end: { ...end, cause: 'idle' as const } }, 'Stopped after 2 hours without activity'],
])('says how it is: %o', (process, words) => {
  expect(stateWords(process)).toBe(words);
});
