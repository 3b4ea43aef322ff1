// Rows in these states are open; each open row has an end to come.

/** At most one run of a thread is in one of them. */
export const openRunStates = ['active', 'suspended'] as const;
/** States in which an agent does something; in the others it waits. */
export const workingStates = ['ready', 'acting'] as const;
export const openAgentStates = [...workingStates, 'waiting', 'asking'] as const;
export const openCallStates = ['planned', 'running', 'waiting'] as const;
