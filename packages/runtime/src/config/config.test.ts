import { z } from 'zod'
import { commonSettings, databaseUrl, keyRing, readConfig } from './config.ts'
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

test.each([',', `:${key}`, 'a', `a:${key},b:c2VjcmV0`])('readConfig rejects the key ring %s', keys => {
  const read = () => readConfig(schema, { COBRO_ENV: 'sandbox', PORT: '4001', KEYS: keys })
  expect(read).toThrow(/KEYS\.[01]: expected id:base64 of 32 bytes/)
})

test('readConfig reads a renamed setting under its former name if the new name is absent', () => {
  const renamed = z.object({ DELAY_MS: z.string().default('1').meta({ formerName: 'WAIT_MS' }).describe('A delay') })
  expect(readConfig(renamed, { WAIT_MS: '2' })).toEqual({ DELAY_MS: '2' })
  expect(readConfig(renamed, { WAIT_MS: '2', DELAY_MS: '3' })).toEqual({ DELAY_MS: '3' })
  expect(readConfig(renamed, { DELAY_MS: '' })).toEqual({ DELAY_MS: '1' })
})

test('readConfig accepts a DATABASE_URL with a connect_timeout of 1 to 25 seconds or none', () => {
  const read = (query: string) => readConfig(z.object({ DATABASE_URL: databaseUrl }), { DATABASE_URL: url + query })
  const url = 'postgres://cobro:pass@db/cobro'
  for (const query of ['', '?connect_timeout=1', '?connect_timeout=25', '?options=-c%20role%3Dx'])
    expect(reveal(read(query).DATABASE_URL)).toBe(url + query)
  for (const value of ['', '0', '-1', '26', '3000', '5s', '1.5'])
    expect(() => read(`?connect_timeout=${value}`)).toThrow('DATABASE_URL: expected a connect_timeout of 1 to 25')
})
