import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repositoryRoot, sourceLists } from './source-lists.ts'

const checkOnly = process.argv.includes('--check')
const stale: string[] = []

async function update(files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(repositoryRoot, path)
    if ((await readFile(file, 'utf8').catch(() => undefined)) === text) continue
    stale.push(path)
    if (!checkOnly) await writeFile(file, text)
  }
}

await update(await sourceLists())
// Imported afterwards: the other files describe the resources that the list exports.
const { generatedFiles } = await import('./generated-files.ts')
await update(await generatedFiles())
const { sdkReports } = await import('./sdk-reports.ts')
await update(await sdkReports())

if (stale.length === 0) process.stdout.write('All generated files are up to date.\n')
else if (!checkOnly) process.stdout.write(`Written: ${stale.join(', ')}.\n`)
else {
  process.stderr.write(`Out of date: ${stale.join(', ')}. Run npm run generate.\n`)
  process.exitCode = 1
}
