import type { Plugin, Rolldown } from 'vite'
import { filePurposes, packagePurposes } from './file-purposes.ts'
import { integrityOf, type PageFile, type PageInventory } from './page-inventory.ts'

/**
 * Adds an `integrity` to each script and style sheet of the page, and writes `inventory.json`. Fails the build for a file
 * or package without a purpose, and for one whose integrity browsers could not check.
 */
export function pageIntegrity(): Plugin {
  return {
    name: 'page-integrity',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const page = bundle['index.html']
        if (page?.type !== 'asset') return this.error('the build has no index.html')
        try {
          page.source = withIntegrity(String(page.source), bundle)
          const files = Object.values(bundle).map(describeFile)
          const inventory: PageInventory = { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)) }
          this.emitFile({
            type: 'asset',
            fileName: 'inventory.json',
            source: `${JSON.stringify(inventory, null, 2)}\n`,
          })
        } catch (error) {
          this.error(error as Error)
        }
      },
    },
  }
}

/** Returns the page with the `integrity` of everything that it loads. Throws for a file that it does not name. */
export function withIntegrity(html: string, bundle: Rolldown.OutputBundle): string {
  const named = new Set<string>()
  const result = html.replace(/<(?:script|link)\b[^>]*>/g, tag => {
    const path = / (?:src|href)="\/hosted\/([^"]+)"/.exec(tag)?.[1]
    const file = path === undefined ? undefined : bundle[path]
    if (!file) throw new Error(`${tag} loads nothing of the build`)
    named.add(file.fileName)
    // Browsers check the integrity of scripts and style sheets only.
    return / rel="icon"/.test(tag) ? tag : tag.replace(/\s*\/?>$/, ` integrity="${integrityOf(contentOf(file))}">`)
  })
  for (const { fileName } of Object.values(bundle)) {
    if (fileName !== 'index.html' && !named.has(fileName))
      throw new Error(`${fileName} is loaded later by another file, so that browsers would not check its integrity`)
  }
  return result
}

type BuildOutput = Rolldown.OutputBundle[string]

const contentOf = (file: BuildOutput) => (file.type === 'chunk' ? file.code : file.source)

const types = { html: 'page', js: 'script', css: 'style', svg: 'image' } as const

/** Returns the entry of a file in the inventory. Throws if the file or a package in it has no purpose. */
export function describeFile(file: BuildOutput): PageFile {
  const { fileName } = file
  const name = fileName.replace(/^assets\/(.+)-[\w-]{8}(\.\w+)$/, '$1$2')
  const content = contentOf(file)
  const type = types[fileName.slice(fileName.lastIndexOf('.') + 1) as keyof typeof types]
  if (!type) throw new Error(`${fileName} is of a type that the page does not load`)
  return {
    path: fileName,
    type,
    bytes: Buffer.byteLength(content),
    integrity: integrityOf(content),
    first_party: true,
    purpose: purposeOf(filePurposes, name),
    ...(file.type === 'chunk' && { packages: packagesOf(file.moduleIds) }),
  }
}

/** Returns the packages that the modules belong to, each with its purpose. Our own modules are in none. */
function packagesOf(moduleIds: readonly string[]) {
  const names = new Set(moduleIds.flatMap(id => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []))
  return [...names].sort().map(name => ({ name, purpose: purposeOf(packagePurposes, name) }))
}

function purposeOf(purposes: Readonly<Record<string, string>>, name: string): string {
  const purpose = Object.hasOwn(purposes, name) ? purposes[name] : undefined
  if (purpose === undefined) throw new Error(`${name} has no purpose in src/integrity/file-purposes.ts`)
  return purpose
}
