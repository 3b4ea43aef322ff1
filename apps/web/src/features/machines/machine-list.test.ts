import { mount } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { setBench, type Bench } from '../../../test/mounting.ts';
import { machineOf } from '../../../test/worlds.ts';
import MachineList from './machine-list.vue';
import { useMachinesStore } from './use-machines-store.ts';

let bench: Bench;
afterEach(() => bench.close());

const open = async (count: number) => {
  bench = await setBench({
    machines: Array.from({ length: count }, (_, at) =>
      machineOf({
        id: `m${at}`,
        name: `box-${at}`,
        folder: `/srv/site-${at}`,
        hostIdentifier: `root@vm-${at}`,
      }),
    ),
  });
  await useMachinesStore().load();
  return mount(MachineList, { global: bench.global });
};

it('offers no search while all machines are in sight', async () => {
  expect((await open(8)).find('[type=search]').exists()).toBe(false);
});

it.each([
  ['BOX-7', ['box-7']],
  ['site-3', ['box-3']],
  ['vm-5', ['box-5']],
  ['nowhere', []],
])('searches name, folder and host: %s', async (text, names) => {
  const list = await open(9);
  await list.get('[type=search]').setValue(text);
  const rows = list.findAll('[data-test=machine-row]').map((row) => row.text());
  expect(rows.length).toBe(names.length);
  for (const [at, name] of names.entries()) expect(rows[at]).toContain(name);
  expect(list.text().includes('No machine matches')).toBe(names.length === 0);
});
