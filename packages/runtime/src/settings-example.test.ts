import { z } from 'zod'
import { settingsExample } from './settings-example.ts'

test('says what each setting is for, which are required, and the defaults of the others', () => {
  const settings = z.object({
    URL: z.url().describe('Where it is'),
    WAITS: z.string().prefault('1,2').describe('How long'),
    LIST: z.array(z.string()).default(['a', 'b']).describe('Which'),
    LOUD: z.stringbool().default(false).describe('Whether'),
    MORE: z.string().optional().describe('What else'),
  })
  expect(settingsExample('shop', settings)).toBe(`# Settings of shop. What is commented out shows its default.

# Where it is
URL=

# How long
# WAITS=1,2

# Which
# LIST=a,b

# Whether
# LOUD=false

# What else
# MORE=
`)
})

test('a setting that nobody described is an error', () => {
  expect(() => settingsExample('shop', z.object({ URL: z.url() }))).toThrow('The setting URL of shop is not described.')
})
