import {
  daemonInfo,
  reportedModes,
  type DaemonInfo,
  type ReportedModes,
} from '@drawbridge/contracts/daemon-surface';
import { gatewayProblem, type GatewayProblem } from '@drawbridge/contracts/gateway';
import { tool } from '@drawbridge/contracts/tool';
import { toolCategory, type ToolCategory } from '@drawbridge/contracts/tool-category';
import { z } from 'zod';
import type { MachineTable } from '../../db/index.ts';
import { createColumns, storedTime } from '../columns.ts';
import { createToolList, type ToolList } from './tool-list.ts';

/** What is known of a machine since its last init. */
export interface MachineInfo {
  /** What its person calls it. */
  name: string;
  hostIdentifier: string | null;
  rootPath: string;
  /** Since when its calls are refused; null while it is not paused. */
  pausedAt: number | null;
  toolList: ToolList;
  categories: ToolCategory[];
  /** Null if the daemon reports none. */
  modes: ReportedModes | null;
  daemon: DaemonInfo | null;
  /** Incremented with each init. */
  epoch: number;
  /** The first epoch whose calls the present daemon knows. */
  resumesFrom: number;
  problem: GatewayProblem | null;
  connectedAt: number | null;
  /** When it was connected last; null while it never went away. */
  lastSeenAt: number | null;
  initAt: number;
  /** The number of its newest stream, and the server that has it; null while it has no stream. */
  stream: number;
  serverId: string | null;
  /** Until when it may be without a stream, as its row says. */
  graceUntil: number | null;
  /** The revision of its row when it was last read. */
  rev: number;
}

export interface StoredMachine {
  id: string;
  userId: string;
  info: MachineInfo;
}

/**
 * What an init says; the store raises the epoch and names a new machine. `replaces`: another daemon than the
 * one before.
 */
export interface MachineInit {
  id: string;
  userId: string;
  info: Omit<
    MachineInfo,
    | 'name'
    | 'pausedAt'
    | 'epoch'
    | 'resumesFrom'
    | 'problem'
    | 'lastSeenAt'
    | 'stream'
    | 'serverId'
    | 'graceUntil'
    | 'rev'
  >;
  /** Until when it may be without a stream. */
  graceUntil: number;
  replaces: boolean;
  /** The epoch that is to be the newest; null for any. */
  after: number | null;
  /** What the person calls it; null to leave the name, or to choose one for a new machine. */
  name: string | null;
  /** Machines of one person; a forgotten one does not count. */
  maxMachines: number;
}

const categories = z.array(toolCategory);
const tools = z.array(tool);

/** A stored list of tools. Throws for any other text. */
export const readToolList = (text: string | undefined): ToolList =>
  createToolList(tools.parse(JSON.parse(text ?? '')));

/** A machine of which something cannot be read offers nothing until its daemon announces itself again. */
export const readMachine = (row: MachineTable, list: () => ToolList) => {
  const columns = createColumns();
  const machine: StoredMachine = {
    id: row.id,
    userId: row.userId,
    info: {
      hostIdentifier: row.hostIdentifier === '' ? null : row.hostIdentifier,
      name: row.name,
      rootPath: row.rootPath,
      pausedAt: row.pausedAt,
      toolList: columns.read('tools', list, createToolList([])),
      categories: columns.read('categories', () => categories.parse(JSON.parse(row.categories)), []),
      modes:
        row.modes === null
          ? null
          : columns.read('modes', () => reportedModes.parse(JSON.parse(row.modes ?? '')), null),
      daemon:
        row.daemon === null
          ? null
          : columns.read('daemon', () => daemonInfo.parse(JSON.parse(row.daemon ?? '')), null),
      epoch: row.epoch,
      resumesFrom: row.resumesFrom,
      problem: columns.read('problem', () => gatewayProblem.nullable().parse(row.problem), null),
      connectedAt: columns.read('connectedAt', () => storedTime.nullable().parse(row.connectedAt), null),
      lastSeenAt: columns.read('lastSeenAt', () => storedTime.nullable().parse(row.lastSeenAt), null),
      initAt: row.initAt,
      stream: row.stream,
      serverId: row.serverId,
      graceUntil: row.graceUntil,
      rev: row.rev,
    },
  };
  return { machine, unreadable: columns.unreadable };
};

/** As a column has it. */
export const jsonOrNull = (value: object | null): string | null =>
  value === null ? null : JSON.stringify(value);
