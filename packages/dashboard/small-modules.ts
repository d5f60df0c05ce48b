import type { Plugin, Rolldown } from 'vite'

/**
 * Puts the texts, styles and rules of the first screens into one file: the bundler would make a file of each that other screens share,
 * and each file of a cold load is a call on record. Only modules that import nothing, so that none runs earlier than it would.
 */
export function smallModules(starts: readonly string[]): Plugin {
  let root = ''
  return {
    name: 'small-modules',
    configResolved(config) {
      root = config.root
    },
    outputOptions(options) {
      const seen = new Set<string>()
      const small = new Set<string>()
      const add = (module: string, context: Rolldown.ChunkingContext) => {
        if (seen.has(module) || module.includes('/node_modules/')) return
        seen.add(module)
        const imports = context.getModuleInfo(module)?.importedIds ?? []
        if (imports.length === 0) small.add(module)
        for (const imported of imports) add(imported, context)
      }
      const name = (module: string, context: Rolldown.ChunkingContext) => {
        if (seen.size === 0) for (const start of starts) add(`${root}/${start}`, context)
        return small.has(module) ? 'small' : null
      }
      return { ...options, codeSplitting: { groups: [{ name, minShareCount: 2 }] } }
    },
  }
}
