interface Child {
  pid?: number | undefined;
  kill(signal: 'SIGTERM' | 'SIGKILL'): boolean;
}

/** Signals a program; false for one that did not start: Node would signal the number of another process. */
export const signalChild = (child: Child, signal: 'SIGTERM' | 'SIGKILL'): boolean =>
  child.pid !== undefined && child.kill(signal);
