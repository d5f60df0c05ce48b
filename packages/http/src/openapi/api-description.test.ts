import { operations, webhookCatalog } from '@cobro/contracts'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { apiDescription } from './api-description.ts'
import type { Json } from './json-schemas.ts'

const description = apiDescription({ serverUrl: '/' })
const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { cidrv4: true, cidrv6: true } })
;(addFormats as unknown as (ajv: Ajv2020) => void)(ajv)
ajv.addSchema({ $id: 'cobro:api', ...description })

const described = operations.filter(operation => operation.response !== 'page')
const objectOf = ({ method, path }: (typeof operations)[number]): Json =>
  description.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]

/** What stands between a schema and its examples, as faults; nothing where an example fits. */
function faultsOf(content: Json): unknown[] {
  const { schema, example } = content['application/json']
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"cobro:api#/'))
  const validate = ajv.compile(absolute)
  return validate(example) ? [] : (validate.errors ?? [])
}

test('every operation is described once, and nothing else is', () => {
  const ids = Object.values(description.paths as Json).flatMap(path =>
    Object.values(path).map((one: any) => one.operationId),
  )
  expect(ids.sort()).toEqual(described.map(({ id }) => id).sort())
  expect(Object.keys(description.webhooks).sort()).toEqual(Object.keys(webhookCatalog).sort())
})

const streamTypes: Record<string, string[]> = {
  events: ['text/event-stream'],
  export: ['application/x-ndjson', 'text/csv'],
}

describe.each(described.map(operation => [operation.id, operation] as const))('%s', (_id, operation) => {
  const object = objectOf(operation)

  test('has a body and an answer whose examples fit their schemas, and the contract', () => {
    const body = object.requestBody?.content
    if (body) expect(faultsOf(body)).toEqual([])
    if (operation.body) expect(operation.body.safeParse(body['application/json'].example).error).toBeUndefined()
    for (const [status, { content }] of Object.entries<Json>(object.responses)) {
      if (!status.startsWith('2')) continue
      if (typeof operation.response === 'string') expect(Object.keys(content)).toEqual(streamTypes[operation.response])
      else expect([status, faultsOf(content)]).toEqual([status, []])
    }
  })

  test('says by which credentials it may be called: none, where everybody may', () => {
    const schemes = object.security.flatMap((one: Json) => Object.keys(one))
    expect(schemes.includes('apiKeyToken')).toBe(operation.callers.includes('key'))
    expect(schemes.includes('userToken')).toBe(operation.callers.some(kind => kind === 'client' || kind === 'operator'))
    expect(schemes.includes('acquirerSignature')).toBe(operation.callers.includes('acquirer'))
    for (const scheme of schemes) expect(Object.keys(description.components.securitySchemes)).toContain(scheme)
    expect(schemes.length === 0).toBe(operation.callers.every(kind => kind === 'payer'))
  })

  test('says how it fails, by references that lead somewhere', () => {
    expect(Object.keys(object.responses)).toEqual(expect.arrayContaining(['400', '429', '500', '503']))
    for (const ref of JSON.stringify(object).matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/g)) {
      expect([ref[0], Object.hasOwn(description.components[ref[1]!], ref[2]!)]).toEqual([ref[0], true])
    }
  })
})

test.each(Object.keys(webhookCatalog))('the example of the event %s fits its schema', name => {
  expect(faultsOf(description.webhooks[name].post.requestBody.content)).toEqual([])
})

test('holds nothing of how it is made, and no secret that could be one', () => {
  const text = JSON.stringify(description)
  expect(text).not.toMatch(/\$defs|__schema|\$schema|9007199254740991/)
  expect(text).not.toMatch(/vk_(test|live)_[0-9A-Za-z]{10}|whsec_[A-Za-z0-9+/]{10}/)
})
