import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { includeLine, regionsOf } from '@cobro/docs/snippets'

const docs = join(import.meta.dirname, '..', '..', 'docs')
const content = join(docs, 'content')

/** The folder of the snippets that pages show. */
export const snippetFolder = join(docs, 'snippets')

/** Lines that no page shows: they prepare a step, or check what it did. */
const notShown = /^(?:hidden|check)-/

interface Include {
  page: string
  file: string
  region: string | undefined
}

/**
 * Returns what pages show as the output of a file, by region. With UPDATE_SNIPPETS=1, first writes what was printed in the regions
 * that pages show.
 */
export async function shownOutput(file: string, printed: ReadonlyMap<string, string>): Promise<Map<string, string>> {
  const shown = includes().filter(one => one.file === `${file}.out`)
  const regions = [...new Set(shown.map(one => String(one.region)))]
  if (regions.length === 0) return new Map()
  const path = join(snippetFolder, `${file}.out`)
  if (process.env.UPDATE_SNIPPETS === '1') {
    const parts = regions.map(region => `# region ${region}\n${printed.get(region) ?? ''}\n# endregion\n`)
    await writeFile(path, parts.join('\n'))
  }
  const stored = regionsOf(readFileSync(path, 'utf8'))
  return new Map(regions.map(region => [region, stored.get(region) ?? '']))
}

/** Returns the snippets that pages include, in the order of each page. */
export function includes(): Include[] {
  return readdirSync(content, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.md'))
    .flatMap(page =>
      readFileSync(join(content, page), 'utf8')
        .split('\n')
        .flatMap(line => {
          const { file, region } = includeLine.exec(line)?.groups ?? {}
          return file === undefined ? [] : [{ page, file, region }]
        }),
    )
}

/**
 * Returns the mistakes in what pages show of a file: a region that is neither shown nor named `hidden-…` or `check-…`, one that has
 * such a name and is shown, and regions in another order than the file runs them in.
 */
export function regionMistakes(file: string): string[] {
  const regions = [...regionsOf(readFileSync(join(snippetFolder, file), 'utf8')).keys()]
  const shown = includes().filter(one => one.file === file)
  const outputs = includes().filter(one => one.file === `${file}.out`)
  const isWhole = shown.some(one => one.region === undefined)
  const isShown = (name: string) => isWhole || [...shown, ...outputs].some(one => one.region === name)
  return [
    ...regions
      .filter(name => isShown(name) === notShown.test(name))
      .map(name => `${file}#${name} ${isShown(name) ? 'is shown' : 'is on no page'}`),
    ...[...new Set(shown.map(({ page }) => page))]
      .filter(page => !isInOrder(shown.filter(one => one.page === page).map(one => regions.indexOf(one.region ?? ''))))
      .map(page => `${page} shows ${file} in another order than it runs`),
  ]
}

const isInOrder = (places: readonly number[]) => places.every((place, at) => place >= (places[at - 1] ?? -1))
