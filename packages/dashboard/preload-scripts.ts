import type { HtmlTagDescriptor, Plugin } from 'vite'
import { chunksOf } from './chunks-of.ts'

interface Preloads {
  /** The source files that begin what the first script imports at once. */
  first: readonly string[]
  /** Those that begin what it imports for those who have a login, or will have one in a moment. */
  later: readonly string[]
}

/** Lets browsers load scripts together with the first one, which imports them only once it runs. */
export function preloadScripts({ first, later }: Preloads): Plugin {
  let base = '/'
  return {
    name: 'preload-scripts',
    configResolved(config) {
      base = config.base
    },
    transformIndexHtml: {
      order: 'post',
      handler(_page, { bundle = {} }) {
        const urgent = chunksOf(bundle, first)
        const all = chunksOf(bundle, [...first, ...later]).filter(({ isEntry }) => !isEntry)
        return all.map((chunk): HtmlTagDescriptor => {
          const priority = urgent.includes(chunk) ? {} : { fetchpriority: 'low' }
          const attrs = { rel: 'modulepreload', href: `${base}${chunk.fileName}`, ...priority }
          return { tag: 'link', attrs, injectTo: 'head' }
        })
      },
    },
  }
}
