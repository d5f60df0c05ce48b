import { readFileSync } from 'node:fs'
import { defaultStatusesOf } from './default-statuses.ts'

const description = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'))
const statusesOf = (path: string, method: string) => [
  ...defaultStatusesOf(description)(description.paths[path][method]),
]
const ofAll = [400, 408, 413, 415, 417, 429, 431, 500, 503, 504]

test('the default answer of an operation without a credential stands for the errors of all operations', () => {
  expect(statusesOf('/health', 'get')).toEqual(ofAll)
})

test('the default answer of a login also stands for a 401', () => {
  expect(statusesOf('/api/auth/login', 'post').toSorted()).toEqual([...ofAll, 401].toSorted())
})

test('the default answer of an operation with a credential also stands for a 401 and a 403', () => {
  expect(statusesOf('/api/terminales', 'get').toSorted()).toEqual([...ofAll, 401, 403].toSorted())
})

test('a description that does not name the shared errors is rejected', () => {
  expect(() => defaultStatusesOf({ ...description, info: { description: '' } })).toThrow(/does not say/)
})
