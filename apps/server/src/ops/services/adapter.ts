import type { ServiceAction, ServiceLogLine, ServiceLogsParams } from '@drawbridge/contracts/rpc/ops';
import { errors } from '../../errors.ts';
import type { ProgramResult } from './run-program.ts';

/** The newest lines, oldest first. `isCut`: there were more. */
export interface ServiceLog {
  lines: ServiceLogLine[];
  isCut: boolean;
}

export type LogWindow = Pick<ServiceLogsParams, 'lines' | 'sinceSeconds'>;

/** One kind of services of this machine. */
export interface ServiceAdapter<Service extends { id: string }> {
  /** `reason`: why there are none. */
  list(): Promise<{ services: Service[]; reason?: string }>;
  /** Throws `notAvailable`, `timedOut`. `onProgress` gets lines of text for people. */
  control(service: Service, action: ServiceAction, onProgress: (line: string) => void): Promise<void>;
  /** Null if it cannot be read. */
  logs(service: Service, window: LogWindow): Promise<ServiceLog | null>;
}

/** Throws for a program that did not end with success: `timedOut`, `notAvailable`. */
export const requireDone = (result: ProgramResult, program: string, time: string): void => {
  if (result.kind === 'timed-out') throw errors.timedOut({ message: `${program} did not finish ${time}` });
  if (result.kind === 'missing' || result.code !== 0)
    throw errors.notAvailable({ message: `${program} refused the action` });
};

/** For services whose logs are not shown. */
export type ControlAdapter<Service extends { id: string }> = Omit<ServiceAdapter<Service>, 'logs'>;

/** The service as it is after the action. Throws `notFound` for an id that `list` does not have. */
export const controlService = async <Service extends { id: string }>(
  adapter: ControlAdapter<Service>,
  { id, action }: { id: string; action: ServiceAction },
  onProgress: (line: string) => void = () => {},
): Promise<Service> => {
  const require = async () => {
    const found = (await adapter.list()).services.find((service) => service.id === id);
    if (!found) throw errors.notFound();
    return found;
  };
  await adapter.control(await require(), action, onProgress);
  return require();
};

/** The output of a program as a log; null if the program failed. */
export const logIn = (
  read: ProgramResult,
  toLine: (line: string) => ServiceLogLine | null,
): ServiceLog | null => {
  if (read.kind !== 'ended' || (read.code !== 0 && !read.isCut)) return null;
  return { lines: read.stdout.split('\n').flatMap((line) => toLine(line) ?? []), isCut: read.isCut };
};

/** As it is shown where the administrator has not set `OPS_CONTROL`. */
export const withoutActions = <View extends { availableActions: ServiceAction[] }>(view: View): View => ({
  ...view,
  availableActions: [],
});
