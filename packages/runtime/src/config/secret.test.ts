import { format, inspect } from 'node:util'
import { createLogger } from '../observability/logger.ts'
import { reveal, type Secret, secret } from './secret.ts'

const hidden = secret('plain as day')

test('reveal returns the value of a secret', () => {
  expect(reveal(hidden)).toBe('plain as day')
  const key = Buffer.from('key')
  expect(reveal(secret(key))).toBe(key)
})

test.each<[string, (value: Secret) => string]>([
  ['a template', value => `${value}`],
  ['String()', value => String(value)],
  ['joining', value => [value].join()],
  ['JSON', value => JSON.stringify({ value })],
  ['inspect', value => inspect({ value }, { showHidden: true, depth: null, getters: true })],
  ['console', value => format('%s %o %O %j', value, value, value, value)],
])('a secret is not shown by %s', (_how, show) => {
  const shown = show(hidden)
  expect(shown).toContain('[secret]')
  expect(shown).not.toContain('plain')
})

test('a secret is not shown by a logger, on its own or deep in an error', () => {
  const lines: string[] = []
  const logger = createLogger('checkout', 'info', { write: line => void lines.push(line) })
  logger.info({ hidden }, 'settings %s %j', hidden, hidden)
  logger.error({ err: Object.assign(new Error(`cannot use ${hidden}`), { config: { hidden } }) }, 'failed')
  expect(lines).toHaveLength(2)
  for (const line of lines) {
    expect(line).toContain('[secret]')
    expect(line).not.toContain('plain')
  }
})

test('a secret has no properties to copy and accepts none', () => {
  expect(Reflect.ownKeys(hidden)).toEqual([])
  expect(structuredClone(hidden)).toEqual({})
  expect({ ...hidden }).toEqual({})
  expect(() => Object.assign(hidden, { toJSON: () => 'x' })).toThrow(TypeError)
})

test('reveal rejects a value that is not a secret', () => {
  expect(() => reveal('plain as day' as unknown as Secret)).toThrow('The value is not a secret created by secret().')
  expect(() => reveal({ ...hidden })).toThrow('The value is not a secret created by secret().')
})
