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
/** The object of an operation, with the parameters that it shares with others of its path. */
function objectOf({ method, path }: (typeof operations)[number]): Json {
  const { parameters = [], ...objects } = description.paths[path.replace(/:(\w+)/g, '{$1}')]
  const object = objects[method.toLowerCase()]
  return { ...object, parameters: [...parameters, ...(object.parameters ?? [])] }
}

const componentOf = (ref: string): Json => description.components[ref.split('/')[2]!][ref.split('/')[3]!]
const resolved = (value: Json): Json => (value.$ref ? componentOf(value.$ref) : value)

/** Returns a schema's value made of its own examples, as viewers of the description show it. */
function exampleOf(schema: Json): unknown {
  if (schema.examples) return schema.examples[0]
  if (schema.$ref) return exampleOf(componentOf(schema.$ref))
  if (schema.allOf)
    return Object.assign({}, ...[...schema.allOf, { type: 'object', properties: schema.properties }].map(exampleOf))
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum[0]
  const [choice] = schema.anyOf ?? schema.oneOf ?? []
  if (choice) return exampleOf(choice)
  const type = [schema.type].flat()[0]
  if (type === 'array') return [exampleOf(schema.items)]
  if (type !== 'object') return { boolean: false, string: 'text', integer: 1, number: 1 }[type as string]
  const fields = Object.entries<Json>(schema.properties ?? {})
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field)]))
}

/** Returns why the example of a content does not match its schema; nothing where it does. */
function faultsOf(content: Json): unknown[] {
  const { schema } = content['application/json']
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"cobro:api#/'))
  const validate = ajv.compile(absolute)
  return validate(exampleOf(schema)) ? [] : (validate.errors ?? [])
}

test('the description has every operation once and no other', () => {
  const ids = Object.values(description.paths as Json).flatMap(({ parameters: _, ...path }) =>
    Object.values(path).map((one: any) => one.operationId),
  )
  expect(ids.sort()).toEqual(described.map(({ id }) => id).sort())
  expect(Object.keys(description.webhooks).sort()).toEqual(Object.keys(webhookCatalog).sort())
})

const streamTypes: Record<string, string[]> = {
  events: ['text/event-stream'],
  export: ['application/x-ndjson', 'text/csv'],
}

describe.each(described.map(operation => [operation.id, operation] as const))('%s', (id, operation) => {
  const object = objectOf(operation)

  test(`${id} has examples of body and response that match their schemas and the contract`, () => {
    const body = object.requestBody?.content
    if (body) expect(faultsOf(body)).toEqual([])
    if (operation.body)
      expect(operation.body.safeParse(exampleOf(body['application/json'].schema)).error).toBeUndefined()
    for (const [status, response] of Object.entries<Json>(object.responses)) {
      const { content } = resolved(response)
      if (!status.startsWith('2')) continue
      if (typeof operation.response === 'string') expect(Object.keys(content)).toEqual(streamTypes[operation.response])
      else expect([status, faultsOf(content)]).toEqual([status, []])
    }
  })

  test(`${id} declares its credentials, and none where anyone may call`, () => {
    const schemes = (object.security ?? description.security).flatMap((one: Json) => Object.keys(one))
    expect(schemes.includes('apiKeyToken')).toBe(operation.callers.includes('key'))
    expect(schemes.includes('userToken')).toBe(operation.callers.some(kind => kind === 'client' || kind === 'operator'))
    expect(schemes.includes('acquirerSignature')).toBe(operation.callers.includes('acquirer'))
    for (const scheme of schemes) expect(Object.keys(description.components.securitySchemes)).toContain(scheme)
    expect(schemes.length === 0).toBe(operation.callers.every(kind => kind === 'payer'))
  })

  test(`${id} declares its error responses with references that resolve`, () => {
    expect(object.responses.default).toEqual({ $ref: '#/components/responses/default' })
    for (const ref of JSON.stringify(object).matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/g)) {
      expect([ref[0], Object.hasOwn(description.components[ref[1]!], ref[2]!)]).toEqual([ref[0], true])
    }
  })
})

test.each(Object.keys(webhookCatalog))('the example of the event %s matches its schema', name => {
  expect(faultsOf(description.webhooks[name].post.requestBody.content)).toEqual([])
})

test('operations name only events that a webhook can receive, and all of these', () => {
  const emitted = described.flatMap(({ emits = [] }) => emits).filter(name => name in webhookCatalog)
  const named = described.flatMap(operation => {
    const [, events = ''] = /^Events: (.*)\.$/m.exec(objectOf(operation).description) ?? []
    return events.match(/[\w.]+/g) ?? []
  })
  expect(named).toEqual(emitted)
})

const schemas = Object.entries<Json>(description.components.schemas)

test('every request body and JSON response is a named schema', () => {
  for (const operation of described) {
    const { requestBody, responses } = objectOf(operation)
    for (const { content } of [requestBody, ...Object.values<Json>(responses)].flatMap(one =>
      one ? resolved(one) : [],
    )) {
      const json = content?.['application/json']
      if (json) expect([operation.id, Object.keys(json.schema)]).toEqual([operation.id, ['$ref']])
    }
  }
  expect(schemas.length).toBeGreaterThanOrEqual(110)
})

test.each(schemas)('every property of the schema %s has a description', (_name, schema) => {
  const undescribed = Object.entries<Json>(schema.properties ?? {}).filter(
    ([, property]) => !(property.description ?? resolved(property).description),
  )
  expect(undescribed).toEqual([])
})

test('every amount is an int64', () => {
  for (const [name, { properties = {} }] of schemas) {
    for (const [field, property] of Object.entries<Json>(properties)) {
      if (!/(_cents|^amount_total|^unit_price)$/.test(field)) continue
      const amount = resolved(property)
      const { format } = amount.anyOf ? resolved(amount.anyOf[0]) : amount
      expect([name, field, format]).toEqual([name, field, 'int64'])
    }
  }
})

test('every amount in a query is an int64', () => {
  const parameters: Json[] = described.flatMap(operation => objectOf(operation).parameters).map(resolved)
  const amounts = parameters.filter(({ name }) => /^amount_/.test(name))
  expect(amounts).toHaveLength(6)
  for (const { name, schema } of amounts) expect([name, schema.format]).toEqual([name, 'int64'])
})

test('every operation has a summary, a description and described parameters', () => {
  for (const operation of described) {
    const object = objectOf(operation)
    expect(object.summary).toBe(operation.summary)
    expect(object.description).toContain(operation.description)
    for (const parameter of object.parameters.map(resolved)) {
      expect([
        operation.id,
        parameter.name,
        typeof (parameter.description ?? resolved(parameter.schema).description),
      ]).toEqual([operation.id, parameter.name, 'string'])
    }
  }
})

test('the description has no traces of zod and nothing that looks like a secret', () => {
  const text = JSON.stringify(description)
  expect(text).not.toMatch(/\$defs|__schema|\$schema|9007199254740991/)
  expect(text).not.toMatch(/vk_(test|live)_[0-9A-Za-z]{10}|whsec_[A-Za-z0-9+/]{10}/)
})
