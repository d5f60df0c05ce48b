import { registerHooks } from 'node:module'

/** Preloaded into a gateway to replace its spool with `passing-spool.ts`. */
registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context)
    if (!found.url.endsWith('/gateway/src/spool/open-spool.ts')) return found
    return { ...found, url: new URL('passing-spool.ts', import.meta.url).href }
  },
})
