/** Whether the environment names a session bus, over which a keyring could be reached on Linux. */
export const hasSessionBus = (): boolean => Boolean(process.env['DBUS_SESSION_BUS_ADDRESS']);
