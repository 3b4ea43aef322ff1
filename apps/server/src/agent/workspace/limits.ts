const mebibyte = 1024 * 1024;

/** Limits of workspaces. docs/agent.md lists them. */
export const workspaceLimits = {
  callsAtOnce: 4,
  callsOfUserAtOnce: 2,
  /** Above the nine minutes that a command may take. */
  callMs: 10 * 60_000,
  resultBytes: 16 * mebibyte,
  foldersOfUser: 20,
  folderBytes: 1024 * mebibyte,
  /** Files and folders in it. */
  folderEntries: 50_000,
  /** Kept copies of one folder, and the bytes of each. */
  snapshotsOfFolder: 3,
  snapshotBytes: 256 * mebibyte,
  /** What the disk of the server keeps free. */
  freeDiskBytes: 1024 * mebibyte,
  measureEveryMs: 2_000,
  fileBytes: 256 * mebibyte,
  /** Each of /tmp, /dev/shm and the home folder, which are in memory. */
  temporaryBytes: 64 * mebibyte,
  /** Of one process. */
  memoryBytes: 2048 * mebibyte,
  openFiles: 1_024,
  processes: 256,
} as const;

export type WorkspaceLimits = { [Name in keyof typeof workspaceLimits]: number };
