import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSnippet, regionsOf } from './snippets.ts'

const script = `set -e
# region create
  curl -s \\
    https://pay.example.com
# endregion

# region read
cat answer.json
# endregion
`

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cobro-snippets-'))
  writeFileSync(join(folder, 'steps.sh'), script)
  writeFileSync(join(folder, 'steps.sh.out'), '# region create\n{\n  "id": 1\n}\n# endregion\n')
})
afterAll(() => rmSync(folder, { recursive: true }))

test('a file is divided into its regions, in their order and without their indent', () => {
  expect([...regionsOf(script)]).toEqual([
    ['create', 'curl -s \\\n  https://pay.example.com'],
    ['read', 'cat answer.json'],
  ])
})

test('a page includes a region, or a whole file without its markers', () => {
  expect(readSnippet(folder, '<<< steps.sh#read')).toEqual({
    label: 'curl',
    language: 'bash',
    code: 'cat answer.json',
    isOutput: false,
  })
  expect(readSnippet(folder, '<<< steps.sh [All of it]')).toMatchObject({ label: 'All of it' })
  expect(readSnippet(folder, '<<< steps.sh').code).not.toContain('region')
  expect(readSnippet(folder, '<<< steps.sh.out#create')).toMatchObject({ language: 'json', isOutput: true })
})

test.each([
  ['<<< steps.sh#delete', 'steps.sh has no region delete.'],
  ['<<< steps.sh # create', 'Expected <<< file#region [label]'],
  ['<<< none.sh', 'ENOENT'],
])('%s is refused', (line, words) => {
  expect(() => readSnippet(folder, line)).toThrow(words)
})
