import { join } from 'node:path'
import { repositoryRoot } from '../layout/stack-paths.ts'
import { coverageTable, declaresOnlyTypes, unreachedFiles } from './coverage-table.ts'

const counted = (covered: number, total: number) => ({ covered, total })
const summary = {
  [join(repositoryRoot, 'packages/http/src/a.ts')]: { lines: counted(10, 10), branches: counted(2, 2) },
  [join(repositoryRoot, 'packages/http/src/b.ts')]: { lines: counted(5, 10), branches: counted(0, 2) },
  [join(repositoryRoot, 'services/gateway/src/c.ts')]: { lines: counted(0, 4), branches: counted(0, 0) },
}

test('coverageTable adds the files of each package and shows the lowest share of lines first', () => {
  expect(coverageTable(summary).split('\n')).toEqual([
    '  lines  branches',
    '   0.0 %   100.0 %  services/gateway',
    '  75.0 %    50.0 %  packages/http',
  ])
})

test('unreachedFiles lists the files that no test ran', () => {
  expect(unreachedFiles(summary)).toEqual(['services/gateway/src/c.ts'])
})

test.each([
  [
    'types',
    "import type { A } from './a.ts'\n\n/** A type, see https://example.com. */\nexport type B = A | undefined\n",
    true,
  ],
  ['a constant', '// One.\nexport const one = 1\n', false],
  ['an import that runs', "import './a.ts'\n", false],
])('declaresOnlyTypes of %s', (_what, source, expected) => {
  expect(declaresOnlyTypes(source)).toBe(expected)
})
