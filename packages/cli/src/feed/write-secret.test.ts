import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeSecret } from './write-secret.ts'

const secret = 'whsec_$&new'

test.each([
  ['', 'COBRO_WEBHOOK_SECRET=whsec_$&new\n'],
  ['A=1', 'A=1\nCOBRO_WEBHOOK_SECRET=whsec_$&new\n'],
  [
    'A=1\n\nexport COBRO_WEBHOOK_SECRET=old\nB="x\n\ny"\n',
    'A=1\n\nexport COBRO_WEBHOOK_SECRET=whsec_$&new\nB="x\n\ny"\n',
  ],
])('the secret goes into %j, and everything else stays', (before, after) => {
  const file = join(mkdtempSync(join(tmpdir(), 'cobro-secret-')), '.env')
  if (before !== '') writeFileSync(file, before, { mode: 0o644 })
  writeSecret(file, secret)
  expect(readFileSync(file, 'utf8')).toBe(after)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})
