import type { RouteLocationNormalizedLoaded } from 'vue-router';

/** Where to go after signing in: a path of the panel, never another site. */
export const nextPath = ({ query }: Pick<RouteLocationNormalizedLoaded, 'query'>): string => {
  const next = query['next'];
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in') ? next : '/';
};
