import { routeTable } from './route-table.ts'

const paths = [
  '/things',
  '/things/:id',
  '/things/list',
  '/things/:thing/parts/:id',
  '/things/list/parts',
  '/screens',
  '/screens/*screen',
  '/things/:id/act',
]
const find = routeTable(paths.map(path => [path, path]))

test.each([
  ['/things', '/things', {}],
  ['/things/list', '/things/list', {}],
  ['/things/a', '/things/:id', { id: 'a' }],
  ['/things/list/act', '/things/:id/act', { id: 'list' }],
  ['/things/list/parts', '/things/list/parts', {}],
  ['/things/list/parts/7', '/things/:thing/parts/:id', { thing: 'list', id: '7' }],
  ['/things/a%2Fb%20c', '/things/:id', { id: 'a/b c' }],
  ['/screens', '/screens', {}],
  ['/screens/a/b', '/screens/*screen', { screen: 'a/b' }],
])('finds %s as %s', (path, value, params) => {
  expect(find(path)).toEqual({ value, params })
})

test.each([
  '',
  '/',
  'things',
  '/Things',
  '/things/',
  '//things',
  '/th%69ngs',
  '/things//act',
  '/things/a/b',
  '/screens/',
])('finds nothing for %j', path => {
  expect(find(path)).toBeUndefined()
})

test.each([
  ['/things/:id', '/things/:key'],
  ['/things', '/things'],
  ['/screens/*screen', '/screens/*name'],
])('rejects the routes %s and %s, which match the same paths', (one, other) => {
  expect(() => routeTable([one, other].map(path => [path, path]))).toThrow(`Two routes match ${other}.`)
})

test('a parameter that cannot be decoded is invalid', () => {
  expect(() => find('/things/%zz')).toThrow('the request cannot be read')
})
