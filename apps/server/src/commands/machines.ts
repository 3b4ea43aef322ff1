import { errors } from '../errors.ts';
import type { Accounts } from '../auth/index.ts';
import type { ListedMachine, ManageMachines } from '../gateway/index.ts';
import { accountOf } from './account-of.ts';

/** A machine on the command line: its person, and its name or id. */
export interface MachineChoice {
  email: string;
  machine: string;
}

export interface MachineNeeds {
  accounts: Pick<Accounts, 'byEmail'>;
  machines: ManageMachines;
}

/** Throws `notFound` for an address without an account. */
export const listMachines = async (
  { accounts, machines }: MachineNeeds,
  email: string,
): Promise<ListedMachine[]> => machines.list((await accountOf(accounts, email)).id);

/** Throws `notFound`, and names the machines that there are. */
export const findMachine = async (needs: MachineNeeds, { email, machine }: MachineChoice) => {
  const listed = await listMachines(needs, email);
  const match = listed.find(({ id }) => id === machine) ?? listed.find(({ name }) => name === machine);
  if (match) return match;
  const names = listed.map(({ name }) => name).join(', ');
  throw errors.notFound({
    message: `${email} has no machine named ${machine}`,
    fix: names === '' ? 'No machine is paired.' : `Paired machines: ${names}.`,
  });
};

const stateOf = ({ isConnected, lastSeenAt }: ListedMachine): string => {
  if (isConnected) return 'connected';
  return lastSeenAt === null ? 'away' : `away since ${new Date(lastSeenAt).toISOString().slice(0, 10)}`;
};

/** One line a machine: name, state, whether it is the default, host, folder. */
export const machineTable = (machines: readonly ListedMachine[]): string => {
  const rows = machines.map((machine) => [
    machine.name,
    stateOf(machine),
    machine.isDefault ? 'default' : '',
    // A machine chooses these texts: nothing of them may move the cursor.
    JSON.stringify(machine.hostIdentifier),
    JSON.stringify(machine.rootPath),
  ]);
  const widths = [0, 1, 2, 3, 4].map((at) => Math.max(0, ...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((text, at) => text.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
};
