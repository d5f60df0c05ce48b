import { existsSync, readFileSync } from 'node:fs'

const root = new URL('../../../', import.meta.url)

test('each file in the list of the slowest test files exists', () => {
  const slowFiles: string[] = JSON.parse(readFileSync(new URL('../slow-files.json', import.meta.url), 'utf8'))
  expect(slowFiles.filter(file => !existsSync(new URL(file, root)))).toEqual([])
})
