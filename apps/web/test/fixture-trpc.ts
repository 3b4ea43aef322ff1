import { initTRPC } from '@trpc/server';

/** The builder of the fixtures' routers, with the server's shape of an error. */
export const t = initTRPC.create({
  errorFormatter: ({ shape, error }) => ({
    ...shape,
    data: { code: error.cause?.name ?? error.code, httpStatus: shape.data.httpStatus, path: null, fix: null },
  }),
});
