import type { Socket } from 'node:net';
import type { RequestCaller } from '@drawbridge/contracts/daemon-event';
import type { WebHost } from './host.ts';

/** A port that a running process was started with, in its own network. */
export interface ProcessPort {
  owner: RequestCaller | undefined;
  /** Whether this caller started it, or is the person. */
  isOf(caller: RequestCaller | undefined): boolean;
  /** Rejects with `Refused`. */
  connect(): Promise<Socket>;
}

const processName = /^(p\d{1,9}-[0-9a-z]{6})\.localhost$/;

/** The id of the process that a host names, `p3-k2f9xa.localhost`, also of one that is not there. */
export const processIdOf = ({ hostname }: WebHost): string | undefined => processName.exec(hostname)?.[1];

export type FindProcessPort = (process: string, port: number) => ProcessPort | undefined;

/** The processes of this daemon as hosts: commands provide them, the browser connects to them. */
export const createProcessHosts = () => {
  let find: FindProcessPort = () => undefined;
  return {
    provide: (next: FindProcessPort) => void (find = next),
    find: (place: WebHost): ProcessPort | undefined => {
      const id = processIdOf(place);
      return id === undefined ? undefined : find(id, place.port);
    },
  };
};

export type ProcessHosts = ReturnType<typeof createProcessHosts>;
