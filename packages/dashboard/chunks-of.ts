import type { Rolldown } from 'vite'

/** Returns the chunks that begin with these source files, and all that these import. Throws if one of them begins no chunk. */
export function chunksOf(bundle: Rolldown.OutputBundle, files: readonly string[]): Rolldown.OutputChunk[] {
  const found = new Set<Rolldown.OutputChunk>()
  const add = (chunk: Rolldown.OutputChunk) => {
    if (found.has(chunk)) return
    found.add(chunk)
    for (const name of chunk.imports) {
      const imported = bundle[name]
      if (imported?.type === 'chunk') add(imported)
    }
  }
  for (const file of files) {
    const chunk = Object.values(bundle).find(one => one.type === 'chunk' && one.facadeModuleId?.endsWith(`/${file}`))
    if (chunk?.type !== 'chunk') throw new Error(`${file} begins no chunk`)
    add(chunk)
  }
  return [...found]
}
