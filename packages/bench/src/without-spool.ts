import { registerHooks } from 'node:module'

/** Preloaded into a gateway: it is the same in all but its spool, for which `passing-spool.ts` stands in. */
registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context)
    if (!found.url.endsWith('/gateway/src/spool/open-spool.ts')) return found
    return { ...found, url: new URL('passing-spool.ts', import.meta.url).href }
  },
})
