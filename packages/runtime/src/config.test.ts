import { z } from 'zod'
import { commonSettings, keyRing, readConfig } from './config.ts'
import { reveal } from './secret.ts'

const schema = commonSettings.extend({ KEYS: keyRing, LOUD: z.stringbool().default(false) })
const key = Buffer.alloc(32, 7).toString('base64')

test('readConfig reads settings and their defaults', () => {
  const config = readConfig(schema, {
    COBRO_ENV: 'sandbox',
    PORT: '4001',
    KEYS: `a:${key}`,
    LOUD: 'false',
    LOG_LEVEL: '',
  })
  expect(config).toMatchObject({ COBRO_ENV: 'sandbox', PORT: 4001, HOST: '127.0.0.1', LOG_LEVEL: 'info', LOUD: false })
  expect(config.KEYS.map(({ id, bytes }) => [id, reveal(bytes)])).toEqual([['a', Buffer.alloc(32, 7)]])
})

test('readConfig reports every bad variable at once, by name and without its value', () => {
  const read = () => readConfig(schema, { COBRO_ENV: 'test', PORT: 'x', KEYS: 'a:c2VjcmV0', LOUD: 'maybe' })
  expect(read).toThrow(/COBRO_ENV.*\n.*PORT.*\n.*KEYS.*\n.*LOUD/)
  expect(read).not.toThrow(/c2VjcmV0/)
})
