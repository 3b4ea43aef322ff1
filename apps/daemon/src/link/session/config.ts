export const hasSessionBus = (): boolean => Boolean(process.env['DBUS_SESSION_BUS_ADDRESS']);
