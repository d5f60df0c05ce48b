import { operations } from '@cobro/contracts'
import { upstreamPath } from './upstream-path.ts'

const link = operations.find(operation => operation.id === 'linkTerminal')!

test.each([
  [{ id: 'trm_1' }, '/whatever', '/api/terminales/trm_1/link'],
  [{ id: 'trm_1' }, '/a?b=1&c=%2F', '/api/terminales/trm_1/link?b=1&c=%2F'],
  [{ id: '../../internal' }, '/a', '/api/terminales/..%2F..%2Finternal/link'],
])('the parameters %j and the target %p result in the path %s', (params, target, expected) => {
  expect(upstreamPath(link, params, target)).toBe(expected)
})
