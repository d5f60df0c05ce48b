import { operations } from '@cobro/contracts'
import type { z } from 'zod'
import { curlOf, listFacts } from './list-facts.ts'

test.each(Object.entries(listFacts))('the list of %s names operations of the API', (_name, { needs, call }) => {
  expect(operations.find(({ id }) => id === needs)?.callers).toContain('client')
  const operation = operations.find(
    ({ method, path }) => method === call.method && path.replaceAll(/:(\w+)/g, '{$1}') === call.path,
  )
  expect(operation?.callers).toContain(call.isOfUsers ? 'client' : 'key')
  const body = operation?.body as z.ZodType | undefined
  expect(body?.safeParse(call.body ?? {}).error).toBeUndefined()
})

test('a call for a shell', () => {
  expect(
    curlOf(listFacts.branches.call, 'https://pay.example.com'),
  ).toBe(`curl -X POST https://pay.example.com/api/sucursales \\
  -H "Authorization: Token $COBRO_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"name":"Centro"}'`)
  expect(curlOf(listFacts.requests.call, 'https://pay.example.com')).toBe(`curl https://pay.example.com/api/me \\
  -H "Authorization: Token $COBRO_API_KEY"`)
  expect(curlOf(listFacts.keys.call, 'https://pay.example.com')).toMatch('Bearer $COBRO_ACCESS_TOKEN')
})
