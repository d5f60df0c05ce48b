import { z } from 'zod'
import * as declared from './all-resources.ts'
import { serviceNames } from './declarations/callers.ts'
import { keyScopes } from './declarations/key-scopes.ts'
import { accessesOf, keyScopeOf, maxBodyKib, needsFreshLogin } from './declarations/operation.ts'
import { isId, newId } from './fields/ids.ts'
import { events } from './messages/events.ts'
import { operations } from './operations.ts'

const named = operations.map(operation => [operation.id, operation] as const)
const parametersOf = (path: string) => [...path.matchAll(/:(\w+)/g)].map(match => match[1]!)

test('operation ids are unique, and so are methods on paths', () => {
  expect(new Set(operations.map(operation => operation.id)).size).toBe(operations.length)
  // Parameters of other names would still be the same path.
  const places = operations.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`)
  expect(new Set(places).size).toBe(operations.length)
})

test('operations with the same path have the same target', () => {
  const targets = new Map(operations.map(({ path, target }) => [path, target]))
  for (const { id, path, target } of operations) expect([id, target]).toEqual([id, targets.get(path)])
})

test('only operations for operators alone require the scope of all merchants', () => {
  for (const { id, scope, callers } of operations) if (scope) expect([id, callers]).toEqual([id, ['operator']])
})

test('each operation for API keys but getMe needs a scope, and no scope covers API keys, users or merchants', () => {
  for (const operation of operations) {
    const needed = keyScopeOf(operation)
    const takesKeys = operation.callers.includes('key') && operation.id !== 'getMe'
    expect([operation.id, needed !== undefined]).toEqual([operation.id, takesKeys])
    if (needed !== undefined) expect(keyScopes).toContain(needed)
    if (/^\/api\/(api-keys|users|merchants|approvals)/.test(operation.path)) expect(needed).toBeUndefined()
  }
  expect(new Set(operations.map(keyScopeOf).filter(scope => scope !== undefined))).toEqual(new Set(keyScopes))
})

test('each operation for users belongs to an area, and its widest access is among those that may call it', () => {
  for (const operation of operations) {
    const { operator, client } = accessesOf(operation)
    expect([operation.id, operator.includes('admin'), client.includes('owner')]).toEqual([
      operation.id,
      operation.callers.includes('operator'),
      operation.callers.includes('client'),
    ])
  }
})

test('auditors and viewers write nothing, and support writes refunds only', () => {
  // What is about the caller itself is for everyone.
  const writes = operations
    .filter(({ method, area }) => method !== 'GET' && area !== 'caller')
    .map(({ id, ...one }) => ({ id, ...accessesOf({ id, ...one }) }))
  const idsFor = (access: string) =>
    writes.filter(({ operator, client }) => [...operator, ...client].includes(access)).map(({ id }) => id)
  expect([idsFor('auditor'), idsFor('viewer'), idsFor('support')]).toEqual([[], [], ['refundTransaction']])
})

test('users need a fresh login for these operations, and for every deletion', () => {
  const fresh = operations.filter(operation => operation.method !== 'DELETE' && needsFreshLogin(operation))
  expect(fresh.map(({ id }) => id).sort()).toEqual([
    ...[
      'approveBankChange',
      'approveCall',
      'changePassword',
      'confirmFactor',
      'createApiKey',
      'createFeeRule',
      'createRollingReserve',
    ],
    ...['createSettlementConfig', 'createUser', 'createWebhook', 'issueSetupToken', 'rotateApiKey'],
    ...['rotateWebhookSecret', 'setUpFactor', 'updateApiKey', 'updateFeeRule', 'updateMerchant'],
    ...['updateRollingReserve', 'updateSettlement', 'updateSettlementConfig', 'updateUser', 'updateWebhook'],
  ])
})

test('the events that an operation may emit are declared', () => {
  for (const { id, emits = [] } of operations) {
    for (const name of emits) expect([id, name, Object.hasOwn(events, name)]).toEqual([id, name, true])
  }
})

test('operations of one tag share its description', () => {
  const described = new Map(operations.map(({ tag }) => [tag.name, tag.description]))
  for (const { id, tag } of operations) expect([id, tag.description]).toEqual([id, described.get(tag.name)])
})

test('payments have at most 16 KiB, logins and passwords 4 KiB, preferences 64 KiB, and other calls 256 KiB', () => {
  const limits = operations.filter(({ body }) => body).map(operation => [operation.id, maxBodyKib(operation)] as const)
  const idsWith = (kib: number) => limits.filter(([, limit]) => limit === kib).map(([id]) => id)
  expect(idsWith(16).sort()).toEqual(['payHostedLink', 'payHostedSession'])
  expect(idsWith(4).sort()).toEqual([
    ...[
      'browserLogin',
      'browserLoginWithFactor',
      'browserLogout',
      'changePassword',
      'confirmFactor',
      'confirmLogin',
      'logInWithFactor',
      'login',
      'refreshBrowserLogin',
      'refreshToken',
      'removeFactor',
      'resetPassword',
      'setPassword',
    ],
    'setUpFactorAtLogin',
  ])
  expect(idsWith(64)).toEqual(['updatePreferences'])
  expect(idsWith(256)).toHaveLength(limits.length - 17)
})

/** Operations that answer before their effect is complete. */
const later = new Set(['refundTransaction', 'testWebhook', 'redeliverWebhook', 'redeliverToWebhook', 'resetPassword'])

describe.each(named)('%s', (id, operation) => {
  test(`${id} declares exactly the parameters of its path`, () => {
    // Only the addresses of the documentation and the dashboard end with a slash or with whatever follows.
    expect(operation.path).toMatch(/^(\/:?[\w.-]+)+$|^\/docs\/$|^\/dashboard\/(\*screen)?$/)
    expect(Object.keys(operation.params?.shape ?? {}).sort()).toEqual(parametersOf(operation.path).sort())
  })

  test(`${id} declares the id in its path as the target of its calls in the audit log`, () => {
    expect(operation.target).toBe(parametersOf(operation.path).find(name => name === 'id'))
  })

  test(`${id} has a service, callers, a summary and a description`, () => {
    expect(serviceNames).toContain(operation.service)
    expect(operation.callers.length).toBeGreaterThan(0)
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
    if (operation.response !== 'page') expect(operation.description).toMatch(/^[A-Z].*[.:]$/s)
  })

  test(`${id} has no body on GET and DELETE, and rejects undeclared fields by name`, () => {
    if (operation.method === 'GET' || operation.method === 'DELETE') expect(operation.body).toBeUndefined()
    // Mail clients and chat apps append parameters to the address of a page.
    const query = operation.response === 'page' ? undefined : operation.query
    for (const schema of [operation.body, query]) {
      if (!schema) continue
      for (const form of schema instanceof z.ZodDiscriminatedUnion ? schema.options : [schema]) {
        const result = z.safeParse(form, { no_such_field: 1 })
        expect(result.success).toBe(false)
        expect(JSON.stringify(result.error?.issues)).toContain('no_such_field')
      }
    }
  })

  test(`${id} has the status 201 if it creates, 202 if its effect comes later, and 200 otherwise`, () => {
    const creates = operation.method === 'POST' && /^(create[A-Z]|rotateApiKey$)/.test(operation.id)
    expect(operation.status ?? 200).toBe(creates ? 201 : later.has(operation.id) ? 202 : 200)
  })

  test(`${id} allows payers only where it is not about a tenant's data`, () => {
    if (operation.callers.includes('payer')) expect(operation.tenant).toBe(false)
  })
})

/** What rows are found by that is not a field of its own in answers. */
const insideOthers: Record<string, string[]> = {
  '/api/checkout-sessions': ['customer_email', 'reached'],
  '/api/payment-links': ['reached'],
}
/** The merchant of a user is an input: it is not the one that the operator acts for. */
const inputs: Record<string, string[]> = { '/api/users': ['merchant_id'] }

const resources = Object.values(declared).filter(one => typeof one === 'object' && 'row' in one && 'operations' in one)

describe.each(resources.map(resource => [resource.path, resource] as const))('%s', (path, resource) => {
  test(`${path} has the five operations of the CRUD map`, () => {
    const { list, read, create, update, delete: remove } = resource.operations
    expect([list, read, create, update, remove].map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET ${resource.path}`,
      `GET ${resource.path}/:id`,
      `POST ${resource.path}`,
      `PUT ${resource.path}/:id`,
      `DELETE ${resource.path}/:id`,
    ])
    const ids = operations.map(operation => operation.id)
    for (const { id } of [list, read, create, update, remove]) expect(ids).toContain(id)
  })

  test(`${path} accepts only ids of its own prefix`, () => {
    const { params } = resource.operations.read
    expect(params.safeParse({ id: newId(resource.prefix) }).success).toBe(true)
    expect(params.safeParse({ id: newId('req') }).success).toBe(false)
  })

  test(`${path} orders, filters and searches by its own columns`, () => {
    const columns = [...Object.keys(resource.row.shape), ...(insideOthers[path] ?? [])]
    for (const name of [...resource.order, ...Object.keys(resource.filters), ...resource.search]) {
      expect(columns).toContain(name)
    }
  })

  test(`${path} accepts no input for fields that the service sets`, () => {
    for (const schema of [resource.create, resource.update]) {
      const { shape } = (schema instanceof z.ZodPipe ? schema.in : schema) as z.ZodObject
      const owned = ['id', 'merchant_id', 'created_at', 'updated_at'].filter(name => !inputs[path]?.includes(name))
      for (const name of owned) expect(Object.keys(shape)).not.toContain(name)
    }
  })
})

test('every field of an update is optional', () => {
  for (const resource of resources) expect(resource.update.parse({})).toEqual({})
})

test('only operations declared as secret have a secret in their response', () => {
  for (const operation of operations) {
    if (typeof operation.response === 'string' || operation.secret) continue
    const shape = JSON.stringify(z.toJSONSchema(operation.response, { io: 'input', unrepresentable: 'any' }))
    expect([operation.id, /"(secret|key|password\w*|key_hash)":/.exec(shape)?.[0]]).toEqual([operation.id, undefined])
  }
})

test('an id of one prefix is not an id of another', () => {
  expect(isId('suc', newId('trm'))).toBe(false)
})
