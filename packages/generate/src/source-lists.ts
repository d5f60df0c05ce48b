import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export const repositoryRoot = join(import.meta.dirname, '..', '..', '..')

const resources = 'packages/contracts/src/resources'
const generatedNote = '// Generated from the files of this folder by npm run generate. Do not edit.'
const maxColumns = 120

/** Returns the source files that list the other files of their folder, by path: the API's resources and each service's migrations. */
export async function sourceLists(): Promise<Record<string, string>> {
  const services = await readdir(join(repositoryRoot, 'services'))
  const histories = await Promise.all(services.map(service => migrationList(`services/${service}/migrations`)))
  return { [`${resources}/index.ts`]: await resourceList(), ...Object.fromEntries(histories) }
}

async function resourceList(): Promise<string> {
  const files = (await sourceFiles(resources)).filter(name => name !== 'index.ts' && !name.endsWith('.test.ts'))
  const note = `${generatedNote}\n// Every resource and operation of the API: operations.ts collects its list from this file.`
  return `${note}\n${files.map(name => `export * from './${name}'\n`).join('')}`
}

async function migrationList(folder: string): Promise<[path: string, text: string]> {
  const files = await sourceFiles(folder)
  const list = files.find(name => name.startsWith('all-'))
  if (list === undefined) throw new Error(`${folder} has no file all-<service>.ts`)
  const steps = files.filter(name => name !== list)
  const names = await Promise.all(steps.map(name => exportOf(join(folder, name))))
  const imports = steps.map((name, at) => `import { ${names[at]} } from './${name}'\n`)
  const text = `${generatedNote}\n${imports.join('')}\n/** The history of the schema, oldest first. */\n${arrayText('migrations', names)}\n`
  return [`${folder}/${list}`, text]
}

async function exportOf(path: string): Promise<string> {
  const [, name] = /^export const (\w+) =/m.exec(await readFile(join(repositoryRoot, path), 'utf8')) ?? []
  if (name === undefined) throw new Error(`${path} exports no migration`)
  return name
}

async function sourceFiles(folder: string): Promise<string[]> {
  const names = await readdir(join(repositoryRoot, folder))
  return names.filter(name => name.endsWith('.ts')).toSorted()
}

/** Returns the declaration of an array as the formatter writes it. */
function arrayText(name: string, items: string[]): string {
  const line = `export const ${name} = [${items.join(', ')}]`
  return line.length <= maxColumns ? line : `export const ${name} = [\n${items.map(item => `  ${item},\n`).join('')}]`
}
