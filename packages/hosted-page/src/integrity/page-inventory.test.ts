import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { differenceOf, integrityOf, readBuiltPage, readPageInventory } from './page-inventory.ts'

const files = { 'index.html': '<!doctype html>', 'assets/index-abc.js': 'pay()' }
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cobro-page-'))
  await mkdir(join(folder, 'assets'))
  const entries = Object.entries(files).map(([path, content]) => ({
    path,
    bytes: content.length,
    integrity: integrityOf(content),
  }))
  for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content)
  await writeFile(join(folder, 'inventory.json'), JSON.stringify({ files: entries }))
})
afterEach(() => rm(folder, { recursive: true }))

test('reads each file of the inventory', () => {
  const read = readBuiltPage(folder).map(({ path, content }) => [path, String(content)])
  expect(Object.fromEntries(read)).toEqual(files)
})

test.each(['index.html', 'assets/index-abc.js'])('rejects a build in which %s was changed, by name', async path => {
  await writeFile(join(folder, path), 'pay(); steal()')
  expect(() => readBuiltPage(folder)).toThrow(
    `The hosted page is not the one that was built: ${path} has 14 bytes with sha384-`,
  )
})

test('rejects a build in which a file is missing', async () => {
  await rm(join(folder, 'assets/index-abc.js'))
  expect(() => readBuiltPage(folder)).toThrow('ENOENT')
})

test('says how to build a page that has no inventory', async () => {
  await rm(join(folder, 'inventory.json'))
  expect(() => readPageInventory(folder)).toThrow('pnpm --filter @cobro/hosted-page build')
})

test('says how a file differs from the inventory', () => {
  const [file] = readPageInventory(folder).files
  if (!file) throw new Error('The inventory is empty.')
  expect(differenceOf(file, Buffer.from(files['index.html']))).toBeUndefined()
  expect(differenceOf(file, Buffer.from('x'))).toBe(
    `index.html has 1 bytes with ${integrityOf('x')}, expected 15 bytes with ${integrityOf(files['index.html'])}`,
  )
})
