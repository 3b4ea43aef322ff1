import { systemClock } from '@drawbridge/kit';
import type { Config } from '../config.ts';
import { createManageMachines, type ListedMachine } from '../gateway/index.ts';
import { accountOf } from './account-of.ts';
import {
  findMachine,
  listMachines,
  machineTable,
  type MachineChoice,
  type MachineNeeds,
} from './machines.ts';
import { withAccounts } from './with-accounts.ts';

interface Needs {
  config: Config;
  print(text: string): void;
  note(text: string): void;
}

/** `drawbridge-server machines`. */
export const createMachineActions = ({ config, print, note }: Needs) => {
  const withMachines = (work: (needs: MachineNeeds) => Promise<void>) =>
    withAccounts(config, ({ accounts, store }) =>
      work({ accounts, machines: createManageMachines(store, systemClock) }),
    );
  const withMachine = (
    choice: MachineChoice,
    work: (needs: MachineNeeds, machine: ListedMachine) => Promise<void>,
  ) => withMachines(async (needs) => work(needs, await findMachine(needs, choice)));

  return {
    listMachines: ({ email, json }: { email: string; json: boolean }) =>
      withMachines(async (needs) => {
        const listed = await listMachines(needs, email);
        print(json ? `${JSON.stringify(listed)}\n` : machineTable(listed));
        if (listed.length === 0) note(`${email} has no machine. Connect one in the panel.\n`);
      }),
    renameMachine: (choice: MachineChoice & { name: string }) =>
      withMachine(choice, async ({ machines }, machine) => {
        await machines.rename(machine, choice.name);
        note(`Renamed ${machine.name} to ${choice.name}.\n`);
      }),
    setDefaultMachine: (choice: MachineChoice) =>
      withMachine(choice, async ({ accounts, machines }, machine) => {
        await machines.setDefault((await accountOf(accounts, choice.email)).id, machine);
        note(`${machine.name} is the default machine of ${choice.email}.\n`);
      }),
    disconnectMachine: (choice: MachineChoice) =>
      withMachine(choice, async ({ machines }, machine) => {
        await machines.disconnect(machine, systemClock.now());
        note(`Disconnected ${machine.name}. To connect it again, create a command in the panel.\n`);
      }),
    forgetMachine: (choice: MachineChoice) =>
      withMachine(choice, async ({ machines }, machine) => {
        await machines.forget(machine, systemClock.now());
        note(
          `Removed ${machine.name} from the machines of ${choice.email}. Its calls stay in the activity.\n`,
        );
      }),
  };
};
