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

test('readConfig reads a renamed setting under its former name if the new name is absent', () => {
  const renamed = z.object({ DELAY_MS: z.string().default('1').meta({ formerName: 'WAIT_MS' }).describe('A delay') })
  expect(readConfig(renamed, { WAIT_MS: '2' })).toEqual({ DELAY_MS: '2' })
  expect(readConfig(renamed, { WAIT_MS: '2', DELAY_MS: '3' })).toEqual({ DELAY_MS: '3' })
  expect(readConfig(renamed, { DELAY_MS: '' })).toEqual({ DELAY_MS: '1' })
})
