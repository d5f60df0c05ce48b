import { operations } from '@cobro/contracts'
import { queryOf, targetPath } from './target-path.ts'

const link = operations.find(operation => operation.id === 'linkTerminal')!

test.each([
  [{ id: 'trm_1' }, '', '/api/terminales/trm_1/link'],
  [{ id: '../../internal' }, '', '/api/terminales/..%2F..%2Finternal/link'],
  [{ id: 'trm_1' }, 'a=1&merchant_id=mrc_1&a=2', '/api/terminales/trm_1/link?a=1&a=2'],
  [{ id: 'trm_1' }, 'merchant_id=mrc_1', '/api/terminales/trm_1/link'],
  [
    { id: 'trm_1' },
    'metadata=%7B%22a%22%3A%22%26%22%7D',
    '/api/terminales/trm_1/link?metadata=%7B%22a%22%3A%22%26%22%7D',
  ],
  [{ id: 'trm_1' }, 'a=%zz&b=%00', '/api/terminales/trm_1/link?a=%25zz&b=%00'],
])('%j and %p lead to %s', (params, query, expected) => {
  expect(targetPath(link, params, new URLSearchParams(query))).toBe(expected)
})

test.each([
  ['/a', ''],
  ['/a?', ''],
  ['/a?b=1&c=?', 'b=1&c=%3F'],
])('the query of %s is %p', (target, expected) => {
  expect(queryOf(target).toString()).toBe(expected)
})
