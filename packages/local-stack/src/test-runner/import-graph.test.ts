import { repositoryRoot } from '../layout/stack-paths.ts'
import { importGraph } from './import-graph.ts'

const importsOf = importGraph(repositoryRoot)

test('importGraph follows relative imports and imports of other packages', () => {
  const imported = importsOf('packages/local-stack/src/test-runner/import-graph.test.ts')
  expect(imported).toContain('packages/local-stack/src/test-runner/import-graph.ts')
  expect(imported).toContain('packages/local-stack/src/layout/stack-paths.ts')
  expect(importsOf('packages/http/src/index.ts')).toContain('packages/contracts/src/index.ts')
})

test('importGraph leaves out installed packages and text that only looks like an import', () => {
  const imported = [...importsOf('packages/local-stack/src/test-runner/test-files.ts')]
  expect(imported.filter(file => !file.startsWith('packages/'))).toEqual([])
})
