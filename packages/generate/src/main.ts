import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generatedFiles, repositoryRoot } from './generated-files.ts'

const checkOnly = process.argv.includes('--check')
const stale: string[] = []
for (const [path, text] of Object.entries(await generatedFiles())) {
  const file = join(repositoryRoot, path)
  if ((await readFile(file, 'utf8').catch(() => undefined)) === text) continue
  stale.push(path)
  if (!checkOnly) await writeFile(file, text)
}

if (stale.length === 0) process.stdout.write('All generated files are up to date.\n')
else if (!checkOnly) process.stdout.write(`Written: ${stale.join(', ')}.\n`)
else {
  process.stderr.write(`Out of date: ${stale.join(', ')}. Run npm run generate.\n`)
  process.exitCode = 1
}
