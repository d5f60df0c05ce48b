import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { version } from './version.ts'

test('the version is that of the package', async () => {
  const manifest = JSON.parse(await readFile(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'))
  expect(version).toBe(manifest.version)
})
