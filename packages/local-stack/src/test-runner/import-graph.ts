import { globSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'

/**
 * Returns every file of the repository that a file imports, directly or through others, and the
 * file itself.
 */
export function importGraph(root: string): (file: string) => ReadonlySet<string> {
  const entries = packageEntries(root)
  const direct = new Map<string, string[]>()
  const importsOf = (file: string) => {
    const known = direct.get(file) ?? readImports(root, file, entries)
    direct.set(file, known)
    return known
  }
  return file => {
    const found = new Set([file])
    for (const one of found) for (const imported of importsOf(one)) found.add(imported)
    return found
  }
}

const importPattern = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g

function readImports(root: string, file: string, entries: ReadonlyMap<string, string>): string[] {
  if (!/\.tsx?$/.test(file)) return []
  const names = [...readFileSync(join(root, file), 'utf8').matchAll(importPattern)].map(match => match[1] ?? '')
  return names.flatMap(name => {
    const imported = name.startsWith('.') ? posix.join(posix.dirname(file), name) : entries.get(name)
    return imported === undefined || !isSource(root, imported) ? [] : [imported]
  })
}

/** Whether a path is a file. Text in a test can look like an import. */
function isSource(root: string, path: string): boolean {
  try {
    readFileSync(join(root, path))
    return true
  } catch {
    return false
  }
}

type Export = string | Record<string, string>

/**
 * Returns the source file of each name by which packages of the repository import each other, such
 * as `@cobro/http/openapi`.
 */
function packageEntries(root: string): Map<string, string> {
  const manifests = globSync('{packages,services}/*/package.json', { cwd: root }).map(path => path.split(sep).join('/'))
  return new Map(
    manifests.flatMap(path => {
      const { name, exports = {} } = JSON.parse(readFileSync(join(root, path), 'utf8')) as {
        name: string
        exports?: Record<string, Export>
      }
      return Object.entries(exports).map(([key, target]): [string, string] => {
        const source = typeof target === 'string' ? target : (target['cobro-source'] ?? '')
        return [posix.join(name, key), posix.join(posix.dirname(path), source)]
      })
    }),
  )
}
